# Files as a table of texts by name in a C source:
#   cmake -DTABLE=opi_x -DHEADER=x.h -DOUT=x.c "-DIN=a.cl;b.cl" -P embed_texts.cmake
# Arrays of bytes, because a string literal may not be that long everywhere.
set(arrays "")
set(rows "")
foreach(file IN LISTS IN)
  cmake_path(GET file STEM name)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "static const char ${name}_text[] = {\n${hex}0};\n")
  string(APPEND rows "    {\"${name}\", ${name}_text},\n")
endforeach()
file(WRITE ${OUT} "#include \"${HEADER}\"\n\n${arrays}\nconst opi_kernel_text ${TABLE}[] = {\n${rows}    {0, 0}};\n")

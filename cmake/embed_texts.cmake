# Files as a table of texts by name in a C source:
#   cmake -DTABLE=opi_x -DTYPE=opi_kernel_text -DHEADER=x.h -DOUT=x.c "-DIN=a.cl;b.cl" [-DFROM=dirs] -P embed_texts.cmake
# A name is that of the file without its ending; with FROM, the path from that of these folders which it lies in.
# Arrays of bytes, because a string literal may not be that long everywhere.
set(arrays "")
set(rows "")
foreach(file IN LISTS IN)
  cmake_path(GET file STEM name)
  foreach(from IN LISTS FROM)
    cmake_path(IS_PREFIX from ${file} inside)
    if(inside)
      file(RELATIVE_PATH name ${from} ${file})
    endif()
  endforeach()
  string(MAKE_C_IDENTIFIER "${name}_text" array)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(REGEX REPLACE "0x([89a-f].)" "(char)0x\\1" hex "${hex}") # not ASCII
  string(APPEND arrays "static const char text_${array}[] = {\n${hex}0};\n")
  string(APPEND rows "    {\"${name}\", text_${array}},\n")
endforeach()
file(WRITE ${OUT} "#include \"${HEADER}\"\n\n${arrays}\nconst ${TYPE} ${TABLE}[] = {\n${rows}    {0, 0}};\n")

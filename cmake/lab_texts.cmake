# lab_kernel_text(file out): the text of a kernel of the lab.  Where a kernel differs from another one in a few words, its
# file has behind its comment
#   #like 05-tiled-32.cl
#   #swap tile[TILE][TILE] => tile[TILE][TILE + 1]
# which is the other one's text (without its comment), with these words exchanged wherever they stand (\n: a new line), and
# whatever follows in the file behind it.
function(lab_kernel_text file out)
  file(READ ${file} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  if(text MATCHES "^(.*\\*/\n)#like ([^\n]+)\n(.*)$")
    set(comment "${CMAKE_MATCH_1}")
    set(swaps "${CMAKE_MATCH_3}")
    cmake_path(GET file PARENT_PATH folder)
    lab_kernel_text(${folder}/${CMAKE_MATCH_2} text)
    string(FIND "${text}" "*/\n" end)
    math(EXPR end "${end} + 3")
    string(SUBSTRING "${text}" ${end} -1 text)
    while(swaps MATCHES "^#swap ([^\n]*) => ([^\n]*)\n(.*)$")
      set(swaps "${CMAKE_MATCH_3}")
      string(REPLACE "\\n" "\n" old "${CMAKE_MATCH_1}")
      string(REPLACE "\\n" "\n" new "${CMAKE_MATCH_2}")
      string(REPLACE "${old}" "${new}" swapped "${text}")
      if(swapped STREQUAL text)
        message(FATAL_ERROR "${file}: #swap: there is no \"${old}\"")
      endif()
      set(text "${swapped}")
    endwhile()
    set(text "${comment}${text}${swaps}")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

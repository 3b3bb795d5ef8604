# The target `doc`: the reference of the public headers, in <build>/doc/html.
configure_file(docs/Doxyfile.in Doxyfile @ONLY)
add_custom_target(doc COMMAND doxygen Doxyfile WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} VERBATIM)

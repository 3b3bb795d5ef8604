# What `cmake --install` puts where: library, headers, CMake package, pkg-config file, licence; and in which Debian
# package (cmake/package.cmake) each belongs: component runtime, dev or tool; openmpi, mpich: of the command under mpirun.

# The static library lies in an export of its own: only its users need to find OpenMP.
install(TARGETS oplus EXPORT oplus_shared LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
install(TARGETS oplus_static EXPORT oplus_static ARCHIVE COMPONENT dev)
install(DIRECTORY include/oplus TYPE INCLUDE COMPONENT dev FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/oplus)
install(EXPORT oplus_shared FILE oplus-shared.cmake NAMESPACE oplus:: DESTINATION ${package_dir} COMPONENT dev)
install(EXPORT oplus_static FILE oplus-static.cmake NAMESPACE oplus:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/oplusConfig.cmake.in oplusConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(oplusConfigVersion.cmake COMPATIBILITY SameMinorVersion) # until 1.0
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/oplusConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/oplusConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# pkg-config --static: the names of the OpenMP runtime that the library was built with.
list(TRANSFORM OpenMP_C_LIB_NAMES PREPEND -l OUTPUT_VARIABLE openmp_libs)
list(JOIN openmp_libs " " openmp_libs)
list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE dl_libs)
# The prefix is taken from where the file lies, so that an installed tree may be moved.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(cmake/oplus.pc.in oplus.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/oplus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# Each package has its licence, and what changed, under its own name.
set(component_package_runtime liboplus${PROJECT_VERSION_MAJOR})
set(component_package_dev liboplus-dev)
set(component_package_tool oplus)
set(component_package_openmpi oplus-openmpi)
set(component_package_mpich oplus-mpich)
set(components runtime dev)
if(OPLUS_BUILD_TOOL)
  include(cmake/mpi.cmake)
  oplus_find_mpi()
  list(APPEND components tool ${oplus_mpi})
endif()
find_program(OPLUS_GZIP gzip)
if(OPLUS_GZIP)
  set(changelog ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
  add_custom_command(OUTPUT changelog.gz DEPENDS ${changelog} VERBATIM
                     COMMAND sh -c "'${OPLUS_GZIP}' -9nc <\"$1\" >changelog.gz" sh ${changelog})
  add_custom_target(oplus_changelog ALL DEPENDS changelog.gz)
endif()
foreach(component IN LISTS components)
  set(doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/${component_package_${component}})
  install(FILES cmake/copyright NOTICE DESTINATION ${doc_dir} COMPONENT ${component})
  if(OPLUS_GZIP)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz DESTINATION ${doc_dir} COMPONENT ${component})
  endif()
endforeach()
set(doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/liboplus-dev)
install(FILES LICENSE DESTINATION ${doc_dir} COMPONENT dev)
file(GLOB guides RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS docs/*.md)
file(RELATIVE_PATH headers_from_doc ${CMAKE_INSTALL_PREFIX}/${doc_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
# The documents, with links that lead somewhere where they are installed.
set(links ${PROJECT_SOURCE_DIR}/cmake/installed_links.awk)
foreach(document IN ITEMS README.md LISTS guides)
  cmake_path(GET document PARENT_PATH folder)
  set(up "")
  if(folder)
    set(up ../)
    string(APPEND folder /)
  endif()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/installed/${document})
  add_custom_command(OUTPUT ${made} DEPENDS ${document} ${links} VERBATIM
                     COMMAND sh -c "awk -v FOLDER=\"$1\" -v UP=\"$2\" -v HEADERS=\"$2$3/\" -f \"$4\" \"$5\" >\"$6\"" sh
                             "${folder}" "${up}" "${headers_from_doc}" ${links} ${PROJECT_SOURCE_DIR}/${document} ${made})
  list(APPEND documents ${made})
  install(FILES ${made} DESTINATION ${doc_dir}/${folder} COMPONENT dev)
endforeach()
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/installed/docs)
add_custom_target(oplus_documents ALL DEPENDS ${documents})
install(DIRECTORY docs/ DESTINATION ${doc_dir}/docs COMPONENT dev FILES_MATCHING PATTERN "*.html" PATTERN man EXCLUDE
        PATTERN images EXCLUDE)
install(DIRECTORY docs/images DESTINATION ${doc_dir}/docs COMPONENT dev)
install(DIRECTORY examples DESTINATION ${doc_dir} COMPONENT dev PATTERN CMakeLists.txt EXCLUDE)

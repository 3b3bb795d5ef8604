# What `cmake --install` puts where: library, headers, CMake package, pkg-config file, licence.

# The static library lies in an export of its own: only its users need to find OpenMP.
install(TARGETS oplus EXPORT oplus_shared)
install(TARGETS oplus_static EXPORT oplus_static)
install(DIRECTORY include/oplus TYPE INCLUDE FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/oplus)
install(EXPORT oplus_shared FILE oplus-shared.cmake NAMESPACE oplus:: DESTINATION ${package_dir})
install(EXPORT oplus_static FILE oplus-static.cmake NAMESPACE oplus:: DESTINATION ${package_dir})
configure_package_config_file(cmake/oplusConfig.cmake.in oplusConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(oplusConfigVersion.cmake COMPATIBILITY SameMinorVersion) # until 1.0
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/oplusConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/oplusConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config --static: the names of the OpenMP runtime that the library was built with.
list(TRANSFORM OpenMP_C_LIB_NAMES PREPEND -l OUTPUT_VARIABLE openmp_libs)
list(JOIN openmp_libs " " openmp_libs)
# The prefix is taken from where the file lies, so that an installed tree may be moved.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(cmake/oplus.pc.in oplus.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/oplus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE TYPE DOC)
install(FILES README.md CHANGELOG.md TYPE DOC OPTIONAL)

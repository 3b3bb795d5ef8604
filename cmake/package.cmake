# Debian packages, one a component:  cmake -DCMAKE_INSTALL_PREFIX=/usr -DOPLUS_BUILD_TOOL=ON …, then  cpack -G DEB
#   liboplus0      the shared library            (component runtime)
#   liboplus-dev   headers and what links        (dev)
#   oplus          the command and its pages     (tool)
#   oplus-openmpi, oplus-mpich   what the command needs under mpirun, of each MPI that is here   (openmpi, mpich)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME oplus)
set(CPACK_PACKAGE_VENDOR "the oplus authors")
set(OPLUS_MAINTAINER "the oplus authors <nobody@localhost>" CACHE STRING "who answers for the packages: Name <address>")
set(CPACK_PACKAGE_CONTACT "${OPLUS_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # others can depend on the library
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(deb_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${component_package_runtime})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
  "Map, reduce, scan, segmented scan and reduce, filter, radix sort and transpose, on one core or many, with the same
bits everywhere.  The shared library.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "gcc | clang, libc6-dev") # operators given as text

set(CPACK_DEBIAN_DEV_PACKAGE_NAME ${component_package_dev})
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${component_package_runtime} (= ${deb_version}), libc6-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "gcc") # the static library wants its OpenMP
set(CPACK_DEBIAN_DEV_DESCRIPTION
  "Headers, static library, CMake package and pkg-config file of oplus, and its guides.")

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME ${component_package_tool})
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "${component_package_runtime} (= ${deb_version})")
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "gcc | clang, libc6-dev")
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "gnuplot, oplus-openmpi | oplus-mpich")
set(CPACK_DEBIAN_TOOL_DESCRIPTION
  "The command oplus: reduces, scans, maps, filters, sorts and transposes arrays in .npy, raw or text files and pipes, by
built-in operators or expressions in C.")

foreach(mpi openmpi mpich)
  string(TOUPPER ${mpi} MPI)
  set(CPACK_DEBIAN_${MPI}_PACKAGE_NAME ${component_package_${mpi}})
  set(CPACK_DEBIAN_${MPI}_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_${MPI}_PACKAGE_DEPENDS "${component_package_tool} (= ${deb_version})")
endforeach()
set(CPACK_DEBIAN_OPENMPI_PACKAGE_RECOMMENDS "openmpi-bin") # mpirun
set(CPACK_DEBIAN_MPICH_PACKAGE_RECOMMENDS "mpich")
set(CPACK_DEBIAN_OPENMPI_DESCRIPTION
  "The command oplus over the ranks of Open MPI: mpirun -n 4 oplus scan --all sum x.npy -o y.npy")
set(CPACK_DEBIAN_MPICH_DESCRIPTION
  "The command oplus over the ranks of MPICH: mpirun -n 4 oplus scan --all sum x.npy -o y.npy")
include(CPack)

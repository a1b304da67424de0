# What `cmake --install` lays down: headers, libsotto.so with libonnxruntime beside it, bin/sotto,
# sottoConfig.cmake for find_package(sotto) and sotto.pc for pkg-config. The prefix may be moved:
# nothing in it names a folder of the build or its own.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Build and install trees have one shape, bin/ beside lib/, and so one RUNPATH. CMake's padding of a
# separate one for the build would add an empty entry, which the loader reads as the current folder.
if(TARGET sotto)
  set_target_properties(sotto PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS sotto LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sotto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
  if(SOTTO_PREFIX_onnxruntime)
    install(FILES ${SOTTO_PREFIX_onnxruntime}/lib/libonnxruntime.so.1 DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  foreach(component llama onnxruntime)
    if(SOTTO_PREFIX_${component})
      install(DIRECTORY ${SOTTO_PREFIX_${component}}/share/licences DESTINATION ${CMAKE_INSTALL_DATADIR}/sotto)
    endif()
  endforeach()

  if(SOTTO_PREFIX_whisper)  # the package holds none
    install(FILES third_party/whisper/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/sotto/licences/whisper.cpp)
  endif()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/sotto/licences/sotto)

  # A library that takes its needs along exports no targets of its own, so the package files are
  # written here and not by install(EXPORT).
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sottoConfig.cmake.in
    ${PROJECT_BINARY_DIR}/package/sottoConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sotto
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/sottoConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/package/sottoConfig.cmake ${PROJECT_BINARY_DIR}/package/sottoConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)

  file(RELATIVE_PATH SOTTO_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" SOTTO_PC_PREFIX "${SOTTO_PC_PREFIX}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/sotto.pc.in ${PROJECT_BINARY_DIR}/package/sotto.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/sotto.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(TARGET sotto_cli)
  file(RELATIVE_PATH sotto_bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set(sotto_cli_rpath "$ORIGIN/../lib" "$ORIGIN/${sotto_bin_to_lib}")
  list(REMOVE_DUPLICATES sotto_cli_rpath)
  set_target_properties(sotto_cli PROPERTIES INSTALL_RPATH "${sotto_cli_rpath}" BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS sotto_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Builds src/text and src/engine/turn of a throw-away project through the real sotto_layer: the
# allowed direction compiles, the forbidden one stops with a missing file.
# ctest passes SOURCE (the repository), WORK (a folder to use), CXX and GENERATOR.
function(expect_build name text_include engine_include expected)
  set(root ${WORK}/${name})
  file(REMOVE_RECURSE ${root})
  file(WRITE ${root}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(forbidden LANGUAGES CXX)
add_library(sotto_warnings INTERFACE)
include(${SOURCE}/cmake/SottoLayer.cmake)
sotto_layer(text SOURCES text.cc HEADERS text.h)
sotto_layer(engine/turn SOURCES turn.cc HEADERS turn.h DEPS text)
")
  file(WRITE ${root}/src/text/text.h "#pragma once\nint Text();\n")
  file(WRITE ${root}/src/text/text.cc "${text_include}\nint Text() { return 1; }\n")
  file(WRITE ${root}/src/engine/turn/turn.h "#pragma once\nint Turn();\n")
  file(WRITE ${root}/src/engine/turn/turn.cc "${engine_include}\nint Turn() { return Text(); }\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${root} -B ${root}/build -DCMAKE_CXX_COMPILER=${CXX}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${root}/build
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  if(expected STREQUAL "")
    if(result)
      message(FATAL_ERROR "${name}: an allowed include does not compile:\n${output}")
    endif()
  elseif(NOT result OR NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${name}: exit ${result} without \"${expected}\":\n${output}")
  endif()
endfunction()

expect_build(allowed "#include \"text/text.h\"" "#include \"text/text.h\"" "")
expect_build(text_to_engine "#include \"engine/turn/turn.h\"" "#include \"text/text.h\""
  "engine/turn/turn.h(: No such file|' file not found)")

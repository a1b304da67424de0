# Third parties as targets sotto_dep::<name>. The lock file third_party/deps.lock.json says where
# each comes from; tools/deps fetches, verifies and builds those that Debian does not package.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

function(sotto_pkg_dep name module)
  pkg_check_modules(SOTTO_PKG_${name} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  add_library(sotto_dep::${name} ALIAS PkgConfig::SOTTO_PKG_${name})
endfunction()

sotto_pkg_dep(sndfile sndfile)
sotto_pkg_dep(mpg123 libmpg123>=1.31)
sotto_pkg_dep(samplerate samplerate)
sotto_pkg_dep(curl libcurl)
sotto_pkg_dep(archive libarchive)
sotto_pkg_dep(crypto libcrypto)

find_package(nlohmann_json 3.11 REQUIRED)
add_library(sotto_dep::json ALIAS nlohmann_json::nlohmann_json)
set_target_properties(nlohmann_json::nlohmann_json PROPERTIES IMPORTED_GLOBAL ON)

if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  add_library(sotto_dep_gtest_main INTERFACE)
  target_link_libraries(sotto_dep_gtest_main INTERFACE GTest::gmock GTest::gtest GTest::gtest_main)
  add_library(sotto_dep::gtest_main ALIAS sotto_dep_gtest_main)
endif()
if(SOTTO_BENCHES)
  find_package(benchmark REQUIRED)
  add_library(sotto_dep_benchmark_main INTERFACE)
  target_link_libraries(sotto_dep_benchmark_main INTERFACE benchmark::benchmark benchmark::benchmark_main)
  add_library(sotto_dep::benchmark_main ALIAS sotto_dep_benchmark_main)
endif()

# --- Third parties that Debian does not package ---------------------------------------------------
# tools/deps names an install prefix for each, and builds it first when it is missing. One prefix
# serves every preset: they are not instrumented, and a rebuild of sotto never rebuilds them.
set(SOTTO_CPU "" CACHE STRING "CPU of the third parties: native, x86-64-v2, x86-64-v3, x86-64-v4, or ggml features [native]")
set(SOTTO_SYSTEM_DEPS "" CACHE STRING "Of llama;whisper;onnxruntime, those to take from the system")

set(sotto_deps_wanted "")
if(SOTTO_WITH_LLAMA OR SOTTO_WITH_WHISPER)
  list(APPEND sotto_deps_wanted llama)
endif()
if(SOTTO_WITH_LLAMA)
  list(APPEND sotto_deps_wanted jinja)
endif()
if(SOTTO_WITH_WHISPER)
  list(APPEND sotto_deps_wanted whisper)
endif()
if(SOTTO_WITH_ONNX)
  list(APPEND sotto_deps_wanted onnxruntime)
endif()
set(sotto_deps_system ${SOTTO_SYSTEM_DEPS})
list(REMOVE_ITEM sotto_deps_wanted ${sotto_deps_system} "")

if(sotto_deps_wanted)
  set(sotto_deps_env "")
  if(SOTTO_CPU)
    set(sotto_deps_env SOTTO_CPU=${SOTTO_CPU})
  endif()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env ${sotto_deps_env} ${PROJECT_SOURCE_DIR}/tools/deps prefix ${sotto_deps_wanted}
    OUTPUT_VARIABLE sotto_deps_lines RESULT_VARIABLE sotto_deps_result OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(sotto_deps_result)
    message(FATAL_ERROR "tools/deps prefix ${sotto_deps_wanted}: exit ${sotto_deps_result}; its last line says why")
  endif()
  string(REPLACE "\n" ";" sotto_deps_lines "${sotto_deps_lines}")
  foreach(line ${sotto_deps_lines})
    string(REGEX MATCH "^([a-z]+)=(.*)$" matched "${line}")
    set(SOTTO_PREFIX_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/tools/deps ${PROJECT_SOURCE_DIR}/third_party/deps.lock.json)
endif()

# sotto_prefix_dep(<name> <STATIC|SHARED> <file> <include dir> [needs...])
function(sotto_prefix_dep name kind file include)
  add_library(sotto_dep_${name} ${kind} IMPORTED GLOBAL)
  set_target_properties(sotto_dep_${name} PROPERTIES
    IMPORTED_LOCATION ${file}
    INTERFACE_INCLUDE_DIRECTORIES ${include}
    INTERFACE_LINK_LIBRARIES "${ARGN}")
  add_library(sotto_dep::${name} ALIAS sotto_dep_${name})
endfunction()

if(SOTTO_PREFIX_llama)
  set(prefix ${SOTTO_PREFIX_llama})
  # The three archives of ggml in the order that a linker reads them.
  sotto_prefix_dep(ggml_base STATIC ${prefix}/lib/libggml-base.a ${prefix}/include/ggml
    sotto::kernels_team Threads::Threads ${CMAKE_DL_LIBS} m)
  sotto_prefix_dep(ggml_cpu STATIC ${prefix}/lib/libggml-cpu.a ${prefix}/include/ggml sotto_dep::ggml_base)
  sotto_prefix_dep(ggml STATIC ${prefix}/lib/libggml.a ${prefix}/include/ggml sotto_dep::ggml_cpu sotto_dep::ggml_base)
  sotto_prefix_dep(llama STATIC ${prefix}/lib/libllama.a ${prefix}/include/llama sotto_dep::ggml)
elseif("llama" IN_LIST sotto_deps_system)
  find_package(llama REQUIRED)
  add_library(sotto_dep_llama INTERFACE)
  target_link_libraries(sotto_dep_llama INTERFACE llama ggml::all)
  add_library(sotto_dep::llama ALIAS sotto_dep_llama)
  add_library(sotto_dep::ggml ALIAS sotto_dep_llama)
endif()
if(SOTTO_PREFIX_jinja)
  sotto_prefix_dep(jinja STATIC ${SOTTO_PREFIX_jinja}/lib/libjinja.a ${SOTTO_PREFIX_jinja}/include
    sotto_dep::ggml)
endif()
if(SOTTO_PREFIX_whisper)
  sotto_prefix_dep(whisper STATIC ${SOTTO_PREFIX_whisper}/lib/libwhisper.a
    ${SOTTO_PREFIX_whisper}/include/whisper sotto_dep::ggml)
elseif("whisper" IN_LIST sotto_deps_system)
  sotto_pkg_dep(whisper whisper)
endif()
if(SOTTO_PREFIX_onnxruntime)
  # A copy beside libsotto.so: what is built here is found by $ORIGIN and may be moved.
  file(COPY ${SOTTO_PREFIX_onnxruntime}/lib/libonnxruntime.so.1 DESTINATION ${PROJECT_BINARY_DIR}/lib)
  sotto_prefix_dep(onnxruntime SHARED ${PROJECT_BINARY_DIR}/lib/libonnxruntime.so.1
    ${SOTTO_PREFIX_onnxruntime}/include/onnxruntime)
  set_target_properties(sotto_dep_onnxruntime PROPERTIES IMPORTED_SONAME libonnxruntime.so.1)
elseif("onnxruntime" IN_LIST sotto_deps_system)
  sotto_pkg_dep(onnxruntime libonnxruntime)
endif()

# --- Apps -----------------------------------------------------------------------------------------
find_package(CLI11 REQUIRED)
add_library(sotto_dep_cli11 INTERFACE)
target_link_libraries(sotto_dep_cli11 INTERFACE CLI11::CLI11)
add_library(sotto_dep::cli11 ALIAS sotto_dep_cli11)
pkg_check_modules(SOTTO_PKG_portaudio IMPORTED_TARGET GLOBAL portaudio-2.0)
if(SOTTO_PKG_portaudio_FOUND)  # apps ask `if(TARGET sotto_dep::portaudio)`; without it there is no --play.
  add_library(sotto_dep::portaudio ALIAS PkgConfig::SOTTO_PKG_portaudio)
endif()

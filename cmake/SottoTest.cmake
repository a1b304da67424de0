# True in `out` when SOTTO_ONLY_LAYERS leaves one of the layers out.
function(sotto_leaves_out out)
  set(${out} FALSE PARENT_SCOPE)
  foreach(layer ${ARGN})
    if(SOTTO_ONLY_LAYERS AND NOT layer IN_LIST SOTTO_ONLY_LAYERS)
      set(${out} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# sotto_test(<name> SOURCES <files...> DEPS <layers...> LABELS <labels...>
#            [PRIVATE_DEPS <targets...>] [ENVIRONMENT <VAR=value...>] [TIMEOUT_S <n>])
#
# A GoogleTest program. SOURCES are relative to the calling folder. A test without a label does
# not configure. Labels: quick, fault, abi, model (needs packs), fuzz, perf, gpu, regress.
# Tests of the label `model` get SOTTO_MODELS_DIR, SOTTO_HOME and SOTTO_PACK from the environment of ctest.
function(sotto_test name)
  cmake_parse_arguments(PARSE_ARGV 1 T "" "TIMEOUT_S" "SOURCES;DEPS;LABELS;PRIVATE_DEPS;ENVIRONMENT")
  if(NOT T_LABELS)
    message(FATAL_ERROR "sotto_test(${name}): no LABELS")
  endif()
  sotto_leaves_out(skipped ${T_DEPS})
  if(NOT BUILD_TESTING OR skipped)
    return()
  endif()
  if(NOT T_TIMEOUT_S)
    set(T_TIMEOUT_S 120)
  endif()
  add_executable(${name} ${T_SOURCES})
  list(TRANSFORM T_DEPS REPLACE "/" "_")
  list(TRANSFORM T_DEPS PREPEND sotto::)
  target_link_libraries(${name} PRIVATE ${T_DEPS} ${T_PRIVATE_DEPS} sotto_dep::gtest_main sotto_warnings)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}" TIMEOUT ${T_TIMEOUT_S}
    ENVIRONMENT "OMP_NUM_THREADS=1;GGML_NO_BACKTRACE=1;SOTTO_TESTDATA=${PROJECT_SOURCE_DIR}/testdata;${T_ENVIRONMENT}")
endfunction()

# sotto_bench(<name> SOURCES <files...> DEPS <layers...>): a google-benchmark program, built by
# the target `benches`, never run as a test.
function(sotto_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 B "" "" "SOURCES;DEPS;PRIVATE_DEPS")
  sotto_leaves_out(skipped ${B_DEPS})
  if(NOT SOTTO_BENCHES OR skipped)
    return()
  endif()
  add_executable(${name} ${B_SOURCES})
  list(TRANSFORM B_DEPS REPLACE "/" "_")
  list(TRANSFORM B_DEPS PREPEND sotto::)
  target_link_libraries(${name} PRIVATE ${B_DEPS} ${B_PRIVATE_DEPS} sotto_dep::benchmark_main sotto_warnings)
endfunction()

# sotto_fuzz(<name> SOURCES <files...> DEPS <layers...>): a libFuzzer target under the `fuzz`
# preset; elsewhere the same LLVMFuzzerTestOneInput is run over the stored corpus
# fuzz/corpus/<name> and a fixed set of mutations, as a quick test.
function(sotto_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 F "" "" "SOURCES;DEPS;PRIVATE_DEPS")
  sotto_leaves_out(skipped ${F_DEPS})
  if(NOT BUILD_TESTING OR skipped)
    return()
  endif()
  list(TRANSFORM F_DEPS REPLACE "/" "_")
  list(TRANSFORM F_DEPS PREPEND sotto::)
  add_executable(${name} ${F_SOURCES})
  target_link_libraries(${name} PRIVATE ${F_DEPS} ${F_PRIVATE_DEPS} sotto_warnings)
  if(SOTTO_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${name} COMMAND ${name} -max_total_time=${SOTTO_FUZZ_SECONDS} -rss_limit_mb=4096
      -timeout=20 ${PROJECT_BINARY_DIR}/corpus/${name} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/corpus/${name})
    set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 600)
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc)
    add_test(NAME ${name}_replay COMMAND ${name} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
    set_tests_properties(${name}_replay PROPERTIES LABELS quick TIMEOUT 120)
  endif()
endfunction()

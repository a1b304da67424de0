# Third parties as targets sotto_dep::<name>. The lock file third_party/deps.lock.json says where
# each comes from; tools/deps fetches, verifies and builds those that Debian does not package.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

function(sotto_pkg_dep name module)
  pkg_check_modules(SOTTO_PKG_${name} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  add_library(sotto_dep::${name} ALIAS PkgConfig::SOTTO_PKG_${name})
endfunction()

sotto_pkg_dep(sndfile sndfile)
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

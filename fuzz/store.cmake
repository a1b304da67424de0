if(TARGET sotto::store)
  sotto_fuzz(store_catalogue SOURCES ${PROJECT_SOURCE_DIR}/fuzz/store_catalogue.cc DEPS store)
  sotto_fuzz(store_manifest SOURCES ${PROJECT_SOURCE_DIR}/fuzz/store_manifest.cc DEPS store)
endif()

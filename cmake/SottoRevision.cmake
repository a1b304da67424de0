# Writes HEADER from TEMPLATE with the revision of SOURCE, "unknown" without git.
set(SOTTO_REVISION unknown)
if(GIT)
  execute_process(COMMAND ${GIT} describe --always --dirty --abbrev=12
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE described RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(SOTTO_REVISION ${described})
  endif()
endif()
configure_file(${TEMPLATE} ${HEADER} @ONLY)

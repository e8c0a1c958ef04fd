# cmake -DOUTPUT=FILE.cc -DFROM=FOLDER -DSTAGED=FOLDER -DNODE=.. -DNPM=.. -DMISSING=WHY -DTESTS=ON|OFF -P embed.cmake
# Bundles the page in a copy of its folder and writes it as a C++ file; or the reason why there is none.
include(${CMAKE_CURRENT_LIST_DIR}/../../scripts/c_literal.cmake)

file(MAKE_DIRECTORY ${STAGED})
file(REMOVE_RECURSE ${STAGED}/src ${STAGED}/style ${STAGED}/test ${STAGED}/browser)
foreach(name src style test browser page.html build.mjs package.json package-lock.json .npmrc)
  if(EXISTS ${FROM}/${name})
    file(COPY ${FROM}/${name} DESTINATION ${STAGED})
  endif()
endforeach()

# Once for each lock file; the tests need more than the page.
if(NOT MISSING)
  file(SHA256 ${STAGED}/package-lock.json wanted)
  set(wanted "${wanted} ${TESTS}")
  set(installed "")
  if(EXISTS ${STAGED}/installed)
    file(READ ${STAGED}/installed installed)
  endif()
  if(NOT installed STREQUAL wanted)
    set(only "")
    if(NOT TESTS)
      set(only --omit=dev)
    endif()
    execute_process(COMMAND ${NPM} ci --ignore-scripts --prefer-offline --fetch-retries=1 ${only}
      WORKING_DIRECTORY ${STAGED} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 300)
    if(result EQUAL 0)
      file(WRITE ${STAGED}/installed "${wanted}")
    else()
      set(MISSING "this kvrace makes no HTML reports, as npm could not install what they are made with where it was built")
      set(try_again ON)
      string(REGEX REPLACE "\n.*" "" first_line "${output}")
      message("No HTML reports: npm ci failed: ${first_line}")
    endif()
  endif()
endif()

set(before "\n    \"\"")
set(after "\n    \"\"")
if(NOT MISSING)
  execute_process(COMMAND ${NODE} build.mjs ${STAGED} WORKING_DIRECTORY ${STAGED} COMMAND_ERROR_IS_FATAL ANY)
  literal(${STAGED}/page_before before)
  literal(${STAGED}/page_after after)
endif()
string(REPLACE "\"\n" "\"sv,\n" before "${before}")
string(REPLACE "\"\n" "\"sv,\n" after "${after}")
file(WRITE ${OUTPUT}.new "// Written by reports/page/embed.cmake.
#include \"reports/page_template.h\"

namespace kvrace::reports {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view before[] = {${before}sv};
constexpr std::string_view after[] = {${after}sv};
constexpr page_template page{.before = before, .after = after, .missing = \"${MISSING}\"sv};

}  // namespace

const page_template& embedded_page() { return page; }

}  // namespace kvrace::reports
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
file(REMOVE ${OUTPUT}.new)
if(NOT try_again)
  file(TOUCH ${STAGED}/stamp)
endif()

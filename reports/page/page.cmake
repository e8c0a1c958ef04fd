# The HTML report's page: page_source is a C++ file with the page, made by node and npm where they are, or with why there is none.
# Installing what the page is bundled of needs npm's registry or its cache, once a build folder; where it fails, the build goes on
# without a page and tries again next time.
find_program(KVRACE_NODE node)
find_program(KVRACE_NPM npm)
set(page_missing "")
if(NOT KVRACE_NODE OR NOT KVRACE_NPM)
  set(page_missing "this kvrace makes no HTML reports, as there was no node or npm where it was built")
else()
  execute_process(COMMAND ${KVRACE_NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT node_version MATCHES "^v([0-9]+)" OR CMAKE_MATCH_1 LESS 18)
    set(page_missing "this kvrace makes no HTML reports, as it was built with node ${node_version}, and 18 is the least")
  endif()
endif()
if(page_missing)
  message(STATUS "${page_missing}")
endif()

set(page_folder ${CMAKE_CURRENT_LIST_DIR})
set(page_staged ${CMAKE_CURRENT_BINARY_DIR}/page)
set(page_source ${CMAKE_CURRENT_BINARY_DIR}/embedded_page.cc)
file(GLOB_RECURSE page_files CONFIGURE_DEPENDS
  ${page_folder}/src/*.js ${page_folder}/style/*.css ${page_folder}/test/*.mjs ${page_folder}/browser/*.mjs)
list(APPEND page_files ${page_folder}/page.html ${page_folder}/build.mjs ${page_folder}/package.json ${page_folder}/package-lock.json
  ${page_folder}/.npmrc)
# The stamp is not written where installing failed, so that the command runs again.
add_custom_command(
  OUTPUT ${page_staged}/stamp
  BYPRODUCTS ${page_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${page_source} -DFROM=${page_folder} -DSTAGED=${page_staged} -DNODE=${KVRACE_NODE}
          -DNPM=${KVRACE_NPM} "-DMISSING=${page_missing}" -DTESTS=${KVRACE_TESTS} -P ${page_folder}/embed.cmake
  DEPENDS ${page_files} ${page_folder}/embed.cmake ${PROJECT_SOURCE_DIR}/scripts/c_literal.cmake
  COMMENT "Bundling the page of HTML reports"
  VERBATIM)
add_custom_target(kvrace_page DEPENDS ${page_staged}/stamp)

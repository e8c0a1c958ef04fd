# cmake -DOUTPUT=FILE.cc -DSCHEMA=FILE -P embed.cmake FILE...
# Writes the scenario files, their traces (FILEs in a folder traces/) and their schema as C++ string literals.
include(${CMAKE_CURRENT_LIST_DIR}/../scripts/c_literal.cmake)

set(first 0)
math(EXPR last "${CMAKE_ARGC} - 1")
set(entries "")
set(traces "")
set(seen_files FALSE)
foreach(index RANGE ${first} ${last})
  set(argument "${CMAKE_ARGV${index}}")
  if(seen_files AND argument MATCHES "/(traces/[^/]*)$")
    set(name "${CMAKE_MATCH_1}")
    literal("${argument}" text)
    string(APPEND traces "    {\"${name}\", ${text}sv},\n")
  elseif(seen_files)
    get_filename_component(name "${argument}" NAME_WE)
    literal("${argument}" text)
    string(APPEND entries "    {\"${name}\", ${text}sv},\n")
  elseif(argument MATCHES "embed\\.cmake$")
    set(seen_files TRUE)
  endif()
endforeach()
literal("${SCHEMA}" schema)

file(WRITE "${OUTPUT}.new" "// Written by scenarios/embed.cmake.
#include \"scenarios/embedded.h\"

namespace kvrace::scenarios {
namespace {

using namespace std::string_view_literals;

constexpr embedded_file files[] = {
${entries}};

constexpr embedded_file traces[] = {
${traces}};

}  // namespace

std::span<const embedded_file> embedded_scenarios() { return files; }

std::span<const embedded_file> embedded_traces() { return traces; }

std::string_view scenario_schema() {
  return ${schema}sv;
}

}  // namespace kvrace::scenarios
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")

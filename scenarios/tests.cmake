add_executable(scenarios_test
  generator_test.cc
  loader_test.cc
  outcome_test.cc
  progress_test.cc)
target_link_libraries(scenarios_test PRIVATE kvrace_scenarios kvrace_options Catch2::Catch2WithMain)
add_test(NAME scenarios COMMAND scenarios_test)
set_tests_properties(scenarios PROPERTIES LABELS quick)

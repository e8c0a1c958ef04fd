add_executable(scenarios_test
  generator_test.cc
  interval_test.cc
  latency_test.cc
  line_reader_test.cc
  loader_test.cc
  memory_command_test.cc
  outcome_test.cc
  progress_test.cc
  recorded_trace_test.cc
  rollout_test.cc
  shrinking_test.cc
  strategy_input_test.cc
  sweep_test.cc
  trace_hits_test.cc
  trace_reader_test.cc
  traffic_input_test.cc
  traffic_test.cc)
target_link_libraries(scenarios_test PRIVATE kvrace_scenarios kvrace_options Catch2::Catch2WithMain)
target_include_directories(scenarios_test SYSTEM PRIVATE ${VALIJSON_INCLUDE_DIR})
target_compile_definitions(scenarios_test PRIVATE KVRACE_PROJECT_FOLDER="${PROJECT_SOURCE_DIR}")
add_test(NAME scenarios COMMAND scenarios_test "~[exhaustive]")
set_tests_properties(scenarios PROPERTIES LABELS quick)
add_test(NAME scenarios_long COMMAND scenarios_test "[exhaustive]")
set_tests_properties(scenarios_long PROPERTIES LABELS exhaustive)

foreach(section traces sweeps bad_input usage exit_codes kill_and_interrupt checkpoints output shrinking elsewhere conversion
        merging diff_of_reports terminal shells_and_manual)
  add_test(NAME command_line.${section} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli_test.sh $<TARGET_FILE:kvrace> ${section})
  set_tests_properties(command_line.${section} PROPERTIES LABELS quick TIMEOUT 120)
endforeach()
# Every embedded scenario, several times over.
foreach(section same_bytes replays seeds)
  add_test(NAME command_line.${section} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli_test.sh $<TARGET_FILE:kvrace> ${section})
  set_tests_properties(command_line.${section} PROPERTIES LABELS exhaustive TIMEOUT 1800)
endforeach()

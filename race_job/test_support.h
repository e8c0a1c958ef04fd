// Results to compare, made up.
#pragma once

#include <string>

#include "race_job/results.h"

namespace kvrace::race_job {

inline scenario_results quiet(const std::string& name = "a_scenario") {
  scenario_results made;
  made.name = name;
  made.strategy = "random walk, switch probability 0.3";
  made.seed = 7;
  made.runs = 100;
  made.steps = 2'000;
  made.digest = 42;
  return made;
}

inline report_entry report_at(std::uint64_t run, std::uint64_t runs, std::uint64_t unexplained) {
  report_entry made;
  made.kind = "data-race";
  made.made = made.runs = runs;
  made.unexplained = unexplained;
  made.run = run;
  made.step = 12;
  made.schedule = "1.2:2";
  made.accesses = {{.write = true, .bytes = 8, .task = 2, .frames = {"cache.h:10 in put"}},
                   {.write = false, .bytes = 8, .task = 1, .frames = {"cache.h:20 in get"}}};
  return made;
}

inline engine_entry found(const std::string& signature, std::uint64_t runs, std::uint64_t seen) {
  return {.signature = signature, .runs = runs, .seen = seen, .run = 3, .schedule = "2.1:1"};
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace kvrace::race_job

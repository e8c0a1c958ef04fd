// kvrace trace: what a recorded trace holds, and how often its blocks are found again.
#pragma once

#include <string>

#include "scenarios/trace_hits.h"

namespace kvrace::scenarios {

struct trace_command {
  std::string file;
  trace_question question;
  std::string report;  // as report_target takes it
};
int run_trace(const trace_command&);

}  // namespace kvrace::scenarios

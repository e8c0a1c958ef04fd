// The answer about a trace, as text and as JSON (reports/schema/trace.schema.json).
#pragma once

#include <string>

#include "scenarios/trace_hits.h"

namespace kvrace::scenarios {

[[nodiscard]] std::string trace_text(const std::string& path, const trace_question& question, const trace_answer& answer);
[[nodiscard]] std::string trace_json(const std::string& path, const trace_question& question, const trace_answer& answer);

// Blocks are chained, and yet they were found in another number than prefixes: a mistake of the replay, not of the trace.
[[nodiscard]] bool contradicts_itself(const trace_answer& answer);

}  // namespace kvrace::scenarios

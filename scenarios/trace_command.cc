#include "scenarios/trace_command.h"

#include <iostream>
#include <utility>
#include <variant>

#include "scenarios/commands.h"
#include "scenarios/input_file.h"
#include "scenarios/report_target.h"
#include "scenarios/trace_report.h"

namespace kvrace::scenarios {

int run_trace(const trace_command& command) {
  std::variant<input_file, input_error> opened = input_file::open(command.file);
  if (const input_error* const error = std::get_if<input_error>(&opened)) throw usage_error(error->to_line(command.file));
  expect_extension(command.report, "what a trace holds", {".json", ".txt"});
  const report_target target(command.report, {command.file});
  trace_reader trace([&opened](std::span<char> to) { return std::get<input_file>(opened).read(to); },
                     command.question.tokens_per_block);
  const trace_answer answer = count_hits(trace, command.question);
  if (trace.error()) throw usage_error(trace.error()->to_line(command.file));
  const std::string text = trace_text(command.file, command.question, answer);
  if (target.text_wanted()) std::cout << text;
  const exit_code written =
      target.write(target.path().ends_with(".txt") ? text : trace_json(command.file, command.question, answer));
  return worse(contradicts_itself(answer) ? exit_internal : exit_as_expected, written);
}

}  // namespace kvrace::scenarios

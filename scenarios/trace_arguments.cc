#include "scenarios/trace_arguments.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scenarios/commands.h"
#include "scenarios/option_values.h"

namespace kvrace::scenarios {
namespace {

constexpr const char* examples = R"(
Examples:
  kvrace trace conversation_trace.jsonl
  kvrace trace conversation_trace.jsonl --capacity 30000 --plain-lru --report hits.json

Exit codes: 0, 64 bad input or usage, 70 internal error, 74 the output could not be
written.
)";

constexpr std::uint64_t capacity_max = 10'000'000;
constexpr std::uint64_t tokens_per_block_max = 65'536;

std::vector<std::uint64_t> capacities_of(std::string_view text) {
  std::vector<std::uint64_t> capacities;
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = text.find(',');
    const std::string each(text.substr(0, comma));
    const std::uint64_t capacity =
        each == "unbounded" ? cache::plain_lru::unbounded : integer_option("--capacity", each, 1, capacity_max);
    if (std::find(capacities.begin(), capacities.end(), capacity) != capacities.end())
      throw usage_error("--capacity: expected '" + each + "' once");
    capacities.push_back(capacity);
    text.remove_prefix(comma == std::string_view::npos ? 0 : comma + 1);
  }
  return capacities;
}

}  // namespace

CLI::App* trace_arguments::declare(CLI::App& app) {
  CLI::App* const trace = app.add_subcommand("trace", "Count how often the blocks of a recorded trace are found again");
  trace->add_option("FILE", file, "JSON lines as Mooncake's, or CSV as Azure's")->required();
  trace
      ->add_option("--capacity", capacities,
                   "Blocks, or 'unbounded', with commas between; default 1000,10000,30000,100000,unbounded")
      ->option_text("LIST");
  trace->add_flag("--plain-lru", plain_lru, "Leave out the simulated cache")->disable_flag_override();
  trace->add_option("--locking", locking, "Of the simulated cache; default mutex")->option_text("NAME");
  trace->add_option("--tokens-per-block", tokens_per_block, "Of the trace; default 512")->option_text("N");
  trace->add_option("--requests", requests, "Read no more than this many")->option_text("N");
  trace->footer(examples);
  return trace;
}

trace_command trace_arguments::command(const std::string& report) const {
  trace_command command{.file = file, .question = {}, .report = report};
  trace_question& question = command.question;
  if (capacities) question.capacities = capacities_of(*capacities);
  if (locking) question.locking = locking_option("--locking", *locking);
  if (plain_lru) question.locking.clear();
  if (tokens_per_block)
    question.tokens_per_block =
        static_cast<std::uint32_t>(integer_option("--tokens-per-block", *tokens_per_block, 1, tokens_per_block_max));
  if (requests) question.requests_max = integer_option("--requests", *requests, 1, integer_max);
  return command;
}

}  // namespace kvrace::scenarios

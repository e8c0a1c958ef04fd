#include "scenarios/trace_reader.h"

#include <string>
#include <utility>

#include "reports/plain_text.h"
#include "scenarios/scenario.h"
#include "scenarios/trace_line.h"

namespace kvrace::scenarios {

using std::chrono::nanoseconds;

std::vector<std::string> repairs_of(const trace_facts& facts) {
  std::vector<std::string> repairs;
  const auto count = [&repairs](std::uint64_t many, const std::string& what) {
    if (many != 0) repairs.push_back(what + ": " + std::to_string(many));
  };
  count(facts.lines_blank, "blank lines passed over");
  count(facts.lines_crlf, "lines ended by CR LF taken as if by LF");
  count(facts.members_ignored, "members without a meaning here passed over");
  if (facts.last_line_open) repairs.emplace_back("a last line without a line break, complete as far as can be told");
  return repairs;
}

trace_reader::trace_reader(byte_source source, std::uint32_t tokens_per_block)
    : lines_(std::move(source), trace_line_bytes_max), tokens_per_block_(tokens_per_block) {
  facts_.digest = digest_of("");
}

bool trace_reader::next(trace_request& to) {
  if (error_) return false;
  std::optional<std::string_view> line = next_line();
  if (line && !begun_) {
    if (!begin(*line)) return false;
    if (facts_.format == trace_format::csv) line = next_line();
  }
  if (error_) return false;
  if (!line)
    return facts_.requests != 0
               ? false
               : fail("", begun_ ? "expected a request below the names of the fields" : "expected a trace, not an empty file");
  trace_line read;
  const std::optional<input_error> error =
      facts_.format == trace_format::csv ? read_csv_line(*line, to, read) : read_json_line(*line, tokens_per_block_, to, read);
  if (error) return fail(error->where, error->expected + (lines_.ended_by_break() ? "" : ", where the file ends"));
  facts_.members_ignored += read.members_ignored;
  return accept(to, read.time);
}

// The next one that is not blank, without its CR.
std::optional<std::string_view> trace_reader::next_line() {
  while (std::optional<std::string_view> line = lines_.next()) {
    facts_.last_line_open = !lines_.ended_by_break();
    facts_.digest = digest_of(lines_.ended_by_break() ? "\n" : "", digest_of(*line, facts_.digest));
    if (line->ends_with('\r')) {
      ++facts_.lines_crlf;
      line->remove_suffix(1);
    }
    if (line->find_first_not_of(" \t\r") != std::string_view::npos) return line;
    ++facts_.lines_blank;
  }
  error_ = lines_.error();
  return std::nullopt;
}

// Tells the formats apart.
bool trace_reader::begin(std::string_view line) {
  begun_ = true;
  if (line == trace_csv_header) {
    facts_.format = trace_format::csv;
    return true;
  }
  if (line[line.find_first_not_of(" \t\r")] == '{') return true;
  return fail("", "expected a JSON object with timestamp, input_length, output_length and hash_ids, or the names of the fields " +
                      std::string(trace_csv_header) + ", not '" + reports::excerpt(line, 60) + "'");
}

bool trace_reader::fail(const std::string& where, std::string expected) {
  std::string place = lines_.number() == 0 ? "" : std::to_string(lines_.number());
  if (!where.empty()) place += ": " + where;
  error_ = input_error{std::move(place), std::move(expected)};
  return false;
}

bool trace_reader::accept(trace_request& to, nanoseconds time) {
  if (facts_.requests == 0) {
    first_ = time;
  } else if (time < last_) {
    const double early_ms = static_cast<double>((last_ - time).count()) / 1e6;
    return fail(
        facts_.format == trace_format::csv ? "TIMESTAMP" : "/timestamp",
        "expected no time before that of the request above, from which it differs by " + std::to_string(early_ms) + " ms");
  }
  if (facts_.requests == 0 || time != last_) ++facts_.ticks;
  last_ = time;
  ++facts_.requests;
  facts_.blocks += to.blocks.size();
  if (!to.blocks.empty()) facts_.blocks_full += to.input_tokens / tokens_per_block_;
  facts_.input_tokens += to.input_tokens;
  facts_.output_tokens += to.output_tokens;
  facts_.length = last_ - first_;
  to.time = facts_.length;
  return true;
}

}  // namespace kvrace::scenarios

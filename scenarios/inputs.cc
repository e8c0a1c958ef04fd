#include "scenarios/inputs.h"

#include <optional>
#include <utility>

#include "reports/input_error.h"
#include "scenarios/commands.h"
#include "scenarios/loader.h"

namespace kvrace::scenarios {
namespace {

// Reports carry their scenario and the traces of their findings.
constexpr std::size_t report_bytes_max = std::size_t{1} << 30;
constexpr std::size_t checkpoint_bytes_max = std::size_t{1} << 32;

// Counts on from `count`.
std::optional<stored_finding> find_in(reports::report& report, std::uint64_t number, std::uint64_t& count,
                                      const std::string& file, const std::string& trace_file) {
  for (kvrace::finding& finding : report.result.findings) {
    if (++count != number) continue;
    std::variant<scenario, input_error> parsed = parse_scenario(report.scenario.text, report.scenario.path, trace_file);
    if (const input_error* const error = std::get_if<input_error>(&parsed))
      throw usage_error(input_error{"the scenario in it: " + error->where, error->expected}.to_line(file));
    if (digest_of(report.scenario.text) != report.scenario.digest)
      throw usage_error(input_error{"", "expected the digest of the scenario in it: one of them was changed"}.to_line(file));
    std::optional<kvrace::schedule> passing;
    if (report.passing) passing = report.passing->schedule;
    return stored_finding{std::get<scenario>(std::move(parsed)), std::move(finding), std::move(passing), report.build};
  }
  return std::nullopt;
}

}  // namespace

scenario load(const std::string& path_or_name, const std::string& trace_file) {
  std::variant<scenario, input_error> found = find_scenario(path_or_name, trace_file);
  if (const input_error* const error = std::get_if<input_error>(&found)) throw usage_error(error->to_line(path_or_name));
  return std::get<scenario>(std::move(found));
}

std::string read_checkpoint(const std::string& file) {
  std::variant<std::string, input_error> text = read_file(file, checkpoint_bytes_max);
  if (const input_error* const error = std::get_if<input_error>(&text)) throw usage_error(error->to_line(file));
  if (std::get<std::string>(text).empty()) throw usage_error(file + ": expected a checkpoint of kvrace, not an empty file");
  return std::get<std::string>(std::move(text));
}

std::vector<reports::report> read_reports(const std::string& file) {
  std::variant<std::string, input_error> text = read_file(file, report_bytes_max);
  if (const input_error* const error = std::get_if<input_error>(&text)) throw usage_error(error->to_line(file));
  reports::read_result read = reports::read_json(std::get<std::string>(text));
  if (read.error) throw usage_error(read.error->to_line(file));
  return std::move(read.reports);
}

stored_finding read_finding(const std::string& file, std::uint64_t number, const std::string& trace_file) {
  std::vector<reports::report> reports = read_reports(file);
  std::uint64_t count = 0;
  for (reports::report& report : reports) {
    if (std::optional<stored_finding> found = find_in(report, number, count, file, trace_file)) return std::move(*found);
    for (reports::report& small : report.shrunk)
      if (std::optional<stored_finding> found = find_in(small, number, count, file, {})) return std::move(*found);
  }
  if (count == 0) throw usage_error(input_error{"", "expected a report with a finding, this one has none"}.to_line(file));
  throw usage_error("--finding: expected an integer from 1 to " + std::to_string(count) + ", not " + std::to_string(number));
}

}  // namespace kvrace::scenarios

#include "scenarios/report_files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/input_error.h"
#include "reports/plain_text.h"
#include "scenarios/commands.h"
#include "scenarios/loader.h"

namespace kvrace::scenarios {
namespace {

// Reports carry their scenario and the traces of their findings.
constexpr std::size_t report_bytes_max = std::size_t{1} << 30;

}  // namespace

scenario load(const std::string& path_or_name) {
  std::variant<scenario, input_error> found = find_scenario(path_or_name);
  if (const input_error* const error = std::get_if<input_error>(&found)) throw usage_error(error->to_line(path_or_name));
  return std::get<scenario>(std::move(found));
}

// A report that cannot be written is found out before the search, not after it. Leaves nothing behind.
void check_writable(const std::string& path) {
  if (path.empty()) return;
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw usage_error(input_error{"", "cannot be written: it is a directory"}.to_line(path));
  std::string probe = path;
  const bool special = exists && !S_ISREG(status.st_mode);
  if (!special) probe += ".XXXXXX";
  const int descriptor = special ? ::open(probe.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK) : ::mkstemp(probe.data());
  if (descriptor < 0) throw usage_error(input_error{"", std::string("cannot be written: ") + std::strerror(errno)}.to_line(path));
  ::close(descriptor);
  if (!special) ::unlink(probe.c_str());
}

void write_report(const std::string& path, const std::vector<reports::report>& reports) {
  if (path.empty()) return;
  const reports::format* const by_extension = reports::format_for_path(path);
  const reports::format& format = by_extension != nullptr ? *by_extension : *reports::find_format("json");
  std::ostringstream text;
  format.write(text, reports, {});
  if (const std::optional<std::string> error = reports::write_file(path, std::move(text).str()))
    throw usage_error(reports::excerpt(*error, 600));
}

void print_report(const reports::report& report) {
  reports::write_text(std::cout, std::span(&report, 1), reports::presentation_for(STDOUT_FILENO));
  std::cout.flush();
}

stored_finding read_finding(const std::string& file, std::uint64_t number) {
  std::variant<std::string, input_error> text = read_file(file, report_bytes_max);
  if (const input_error* const error = std::get_if<input_error>(&text)) throw usage_error(error->to_line(file));
  reports::read_result read = reports::read_json(std::get<std::string>(text));
  if (read.error) throw usage_error(read.error->to_line(file));
  std::uint64_t count = 0;
  for (reports::report& report : read.reports) {
    for (kvrace::finding& finding : report.result.findings) {
      if (++count != number) continue;
      std::variant<scenario, input_error> parsed = parse_scenario(report.scenario.text, report.scenario.path);
      if (const input_error* const error = std::get_if<input_error>(&parsed))
        throw usage_error(input_error{"the scenario in it: " + error->where, error->expected}.to_line(file));
      if (digest_of(report.scenario.text) != report.scenario.digest)
        throw usage_error(input_error{"", "expected the digest of the scenario in it: one of them was changed"}.to_line(file));
      return {std::get<scenario>(std::move(parsed)), std::move(finding), report.build};
    }
  }
  if (count == 0) throw usage_error(input_error{"", "expected a report with a finding, this one has none"}.to_line(file));
  throw usage_error("--finding: expected an integer from 1 to " + std::to_string(count) + ", not " + std::to_string(number));
}

}  // namespace kvrace::scenarios

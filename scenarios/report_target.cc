#include "scenarios/report_target.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <optional>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/input_error.h"
#include "reports/plain_text.h"
#include "reports/summary_table.h"
#include "scenarios/commands.h"
#include "scenarios/loader.h"

namespace kvrace::scenarios {
namespace {

// A file under whatever name; nullopt if there is none, or it is a pipe or a device.
using file_identity = std::optional<std::pair<dev_t, ino_t>>;

file_identity identity(bool known, const struct stat& status) {
  if (!known || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}
file_identity identity_of(const std::string& path) {
  struct stat status{};
  return identity(::stat(path.c_str(), &status) == 0, status);
}
file_identity identity_of_standard_output() {
  struct stat status{};
  return identity(::fstat(STDOUT_FILENO, &status) == 0, status);
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw usage_error(reports::input_error{"", "cannot be written: " + why}.to_line(path));
}

const std::vector<reports::rule>& rules() {
  static const std::vector<reports::rule> all = [] {
    std::vector<reports::rule> made;
    for (const oracle_name& each : all_oracles()) made.push_back({each.name, each.summary});
    return made;
  }();
  return all;
}

}  // namespace

void expect_extension(const std::string& path, const char* what, const std::vector<std::string>& extensions) {
  const auto named = [&path](const std::string& extension) { return path.ends_with(extension); };
  if (std::ranges::any_of(extensions, named)) return;
  if (reports::format_for_path(path) != nullptr || path.ends_with(".svg"))
    refuse(path, std::string(what) + " is written as " + reports::listed(extensions));
}

report_target::report_target(std::string path, const std::vector<std::string>& inputs, output_style style,
                             const reports::format* named)
    : path_(std::move(path)), style_(style), named_(named) {
  if (path_.empty()) return;
  const std::string_view missing = format().missing == nullptr ? std::string_view() : format().missing();
  if (!missing.empty()) refuse(path_, std::string(missing));
  if (!text_wanted()) return;
  const file_identity file = identity_of(path_);
  for (const std::string& input : inputs)
    if (file && file == identity_of(input))
      refuse(path_, "it is the input '" + reports::excerpt(input, 100) + "', expected another file");
  // The report would take the place of the text.
  if (file && file == identity_of_standard_output()) refuse(path_, "it is standard output, expected another file or -");
  check_writable();
}

report_target::~report_target() {
  if (pipe_ >= 0) ::close(pipe_);
}

void report_target::check_writable() {
  struct stat status{};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) refuse(path_, "it is a directory");
  if (exists && ::access(path_.c_str(), W_OK) != 0) refuse(path_, std::strerror(errno));
  if (exists && !S_ISREG(status.st_mode)) {
    const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) refuse(path_, errno == ENXIO ? "nobody reads from it" : std::strerror(errno));
    if (S_ISFIFO(status.st_mode))
      pipe_ = descriptor;
    else
      ::close(descriptor);
    return;
  }
  // A nameless file, where the file system has them: whenever this process is killed, nothing is left.
  const std::string file = reports::file_behind(path_);
  // On the way to its name the file has a longer one.
  if (::access((file + ".1234567.new").c_str(), F_OK) != 0 && errno != ENOENT) refuse(path_, std::strerror(errno));
  const std::size_t slash = file.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : file.substr(0, slash + 1);
  int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    std::string probe = file + ".XXXXXX";
    descriptor = ::mkstemp(probe.data());
    if (descriptor < 0) refuse(path_, std::strerror(errno));
    ::unlink(probe.c_str());
  }
  ::close(descriptor);
}

void report_target::print(const reports::report& report) {
  if (!text_wanted()) return;
  reports::presentation how = reports::presentation_for(STDOUT_FILENO);
  how.everything = style_.verbose;
  how.findings_before = findings_printed_;
  findings_printed_ += report.result.findings.size();
  for (const reports::report& small : report.shrunk) findings_printed_ += small.result.findings.size();
  if (style_.quiet && report.expectation.met) return;
  reports::write_text(std::cout, std::span(&report, 1), how);
  std::cout.flush();
}

void report_target::print_summary(std::span<const reports::report> reports) const {
  if (!text_wanted() || reports.size() < 2) return;
  const auto met = [](const reports::report& each) { return each.expectation.met; };
  if (style_.quiet && std::ranges::all_of(reports, met)) return;
  reports::write_summary(std::cout, reports, reports::presentation_for(STDOUT_FILENO), style_.quiet);
  std::cout.flush();
}

void report_target::name_replays_of_shrunk(std::vector<reports::report>& reports) const {
  const bool readable = !path_.empty() && text_wanted() && format().name == "json";
  std::uint64_t number = 0;
  for (reports::report& each : reports) {
    number += each.result.findings.size();
    for (reports::report& small : each.shrunk)
      small.replay_commands = {readable ? "kvrace replay " + shell_quoted(path_) + " --finding " + std::to_string(++number) : ""};
  }
}

const reports::format& report_target::format() const {
  if (named_ != nullptr) return *named_;
  const reports::format* const by_extension = reports::format_for_path(path_);
  return by_extension != nullptr ? *by_extension : *reports::find_format("json");
}

exit_code report_target::write(std::span<const reports::report> reports) const {
  reports::presentation how = text_wanted() ? reports::presentation{} : reports::presentation_for(STDOUT_FILENO);
  how.everything = style_.verbose;
  how.rules = rules();
  std::ostringstream text;
  if (!path_.empty()) format().write(text, reports, how);
  return write(std::move(text).str());
}

exit_code report_target::write(std::string text) const {
  if (path_.empty()) return exit_as_expected;
  if (!text_wanted()) {
    std::cout << text;
    std::cout.flush();
    return exit_as_expected;  // what becomes of standard output is looked at when everything is over
  }
  const std::optional<std::string> error = reports::write_file(path_, std::move(text));
  if (!error) return exit_as_expected;
  std::cerr << "kvrace: " << reports::excerpt(*error, 600) << "\n";
  return exit_output_lost;
}

}  // namespace kvrace::scenarios

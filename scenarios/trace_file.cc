#include "scenarios/trace_file.h"

#include <algorithm>
#include <utility>

#include "scenarios/embedded.h"
#include "scenarios/input_file.h"

namespace kvrace::scenarios {
namespace {

bool is_embedded(std::string_view scenario_path) {
  const auto scenarios = embedded_scenarios();
  return std::any_of(scenarios.begin(), scenarios.end(), [&](const embedded_file& each) { return each.name == scenario_path; });
}

std::string beside(std::string_view scenario_path, const std::string& file) {
  const std::size_t slash = scenario_path.rfind('/');
  return file.starts_with('/') || slash == std::string_view::npos ? file : std::string(scenario_path.substr(0, slash + 1)) + file;
}

}  // namespace

std::variant<std::shared_ptr<const recorded_trace>, input_error> read_trace(const std::string& file,
                                                                            std::string_view scenario_path,
                                                                            const recording_options& options) {
  const auto about = [](const input_error& error, const std::string& path) { return input_error{"", error.to_line(path)}; };
  if (is_embedded(scenario_path)) {
    for (const embedded_file& trace : embedded_traces()) {
      if (trace.name != file) continue;
      auto read = recorded_trace::read(bytes_of(trace.text), options);
      if (const input_error* const error = std::get_if<input_error>(&read)) return about(*error, file);
      return read;
    }
  }
  const std::string path = beside(scenario_path, file);
  std::variant<input_file, input_error> opened = input_file::open(path);
  if (const input_error* const error = std::get_if<input_error>(&opened)) return about(*error, path);
  auto read = recorded_trace::read([&](std::span<char> to) { return std::get<input_file>(opened).read(to); }, options);
  if (const input_error* const error = std::get_if<input_error>(&read)) return about(*error, path);
  return read;
}

}  // namespace kvrace::scenarios

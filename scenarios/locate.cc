#include <utility>

#include <unistd.h>

#include "scenarios/embedded.h"
#include "scenarios/input_file.h"
#include "scenarios/loader.h"

namespace kvrace::scenarios {
namespace {

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

std::string_view without_zeros(std::string_view number) {
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

// "01_ghost_entry" is called "01_ghost_entry", "ghost_entry", "01" and "1".
bool is_called(const embedded_file& file, std::string_view name) {
  const std::size_t underscore = file.name.find('_');
  if (is_number(name)) return without_zeros(file.name.substr(0, underscore)) == without_zeros(name);
  return file.name == name || file.name.substr(underscore + 1) == name;
}

bool looks_like_a_path(const std::string& text) { return text.find('/') != std::string::npos || text.ends_with(".json"); }

std::variant<scenario, input_error> load_path(const std::string& path, const std::string& trace_file) {
  std::variant<std::string, input_error> text = read_file(path, scenario_bytes_max);
  if (input_error* const error = std::get_if<input_error>(&text)) return std::move(*error);
  std::variant<scenario, input_error> parsed = parse_scenario(std::get<std::string>(text), path, trace_file);
  if (scenario* const read = std::get_if<scenario>(&parsed)) read->source.is_file = true;
  // Reports begin with this, and a scenario has no such key.
  else if (std::string_view(std::get<std::string>(text)).substr(0, 100).find("\"schema_version\"") != std::string_view::npos)
    return input_error{"", "expected a scenario, not a report: 'kvrace replay' repeats its findings"};
  return parsed;
}

}  // namespace

std::variant<std::string, input_error> read_file(const std::string& path, std::size_t bytes_max) {
  std::variant<input_file, input_error> opened = input_file::open(path);
  if (input_error* const error = std::get_if<input_error>(&opened)) return std::move(*error);
  std::string text;
  char buffer[65'536];
  for (;;) {
    std::variant<std::size_t, input_error> count = std::get<input_file>(opened).read(buffer);
    if (input_error* const error = std::get_if<input_error>(&count)) return std::move(*error);
    if (std::get<std::size_t>(count) == 0) return text;
    text.append(buffer, std::get<std::size_t>(count));
    if (text.size() > bytes_max) return input_error{"", "expected at most " + std::to_string(bytes_max) + " bytes"};
  }
}

std::variant<scenario, input_error> find_scenario(const std::string& path_or_name, const std::string& trace_file) {
  if (looks_like_a_path(path_or_name)) return load_path(path_or_name, trace_file);
  for (const embedded_file& file : embedded_scenarios())
    if (is_called(file, path_or_name)) return parse_scenario(file.text, file.name, trace_file);
  if (::access(path_or_name.c_str(), F_OK) == 0) return load_path(path_or_name, trace_file);
  std::vector<std::string> names;
  for (const embedded_file& file : embedded_scenarios()) names.emplace_back(file.name);
  return input_error{"", "expected a file or a scenario named by 'kvrace list'" + reports::suggestion(path_or_name, names)};
}

}  // namespace kvrace::scenarios

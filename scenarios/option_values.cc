#include "scenarios/option_values.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <kvrace/cache/configuration.h>

#include "reports/input_error.h"
#include "reports/plain_text.h"
#include "scenarios/commands.h"

namespace kvrace::scenarios {

std::uint64_t integer_option(const char* option, const std::string& text, std::uint64_t minimum, std::uint64_t maximum) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < minimum || value > maximum) {
    throw usage_error(std::string(option) + ": expected an integer from " + std::to_string(minimum) + " to " +
                      std::to_string(maximum) + ", not '" + reports::excerpt(text, 60) + "'");
  }
  return value;
}

double seconds_option(const char* option, const std::string& text) {
  constexpr double seconds_max = 1e9;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > seconds_max)
    throw usage_error(std::string(option) + ": expected a number of seconds above 0 and up to 1000000000, not '" +
                      reports::excerpt(text, 60) + "'");
  return value;
}

std::string locking_option(const char* option, const std::string& text) {
  std::vector<std::string> names;
  for (const cache::locking_description& each : cache::locking_strategies()) names.emplace_back(each.name);
  if (std::find(names.begin(), names.end(), text) == names.end())
    throw usage_error(std::string(option) + ": expected one of " + reports::listed(names) + ", not '" +
                      reports::excerpt(text, 60) + "'" + reports::suggestion(text, names));
  return text;
}

}  // namespace kvrace::scenarios

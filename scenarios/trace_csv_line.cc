#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "reports/plain_text.h"
#include "scenarios/trace_line.h"

namespace kvrace::scenarios {
namespace {

using std::chrono::nanoseconds;

// Takes what is expected from the front of a text; after the first thing that is not there, nothing.
class field_reader {
 public:
  explicit field_reader(std::string_view text) : rest_(text) {}

  // A number of exactly so many digits.
  unsigned number(std::size_t digits) {
    unsigned value = 0;
    if (!good_ || rest_.size() < digits) return fail();
    for (const char digit : rest_.substr(0, digits)) {
      if (digit < '0' || digit > '9') return fail();
      value = value * 10 + static_cast<unsigned>(digit - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  void character(char wanted) {
    if (!take(wanted)) fail();
  }
  bool take(char wanted) {
    if (!good_ || !rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // The digits behind a decimal point, up to nine.
  nanoseconds fraction() {
    std::int64_t value = 0;
    std::int64_t unit = 1'000'000'000;
    while (good_ && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      if (unit == 1) return nanoseconds(fail());
      unit /= 10;
      value += unit * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (unit == 1'000'000'000) fail();
    return nanoseconds(value);
  }
  [[nodiscard]] bool complete() const { return good_ && rest_.empty(); }

 private:
  unsigned fail() {
    good_ = false;
    return 0;
  }
  std::string_view rest_;
  bool good_ = true;
};

// How much later the clock of "+HH:MM", "-HH:MM" or "Z" shows than UTC's; nothing stands for UTC.
std::chrono::minutes offset_of(field_reader& text) {
  if (text.take('Z')) return {};
  const bool behind = text.take('-');
  if (!behind && !text.take('+')) return {};
  const std::chrono::hours hours(text.number(2));
  text.character(':');
  const auto offset = hours + std::chrono::minutes(text.number(2));
  return behind ? -offset : offset;
}

std::optional<nanoseconds> time_of(std::string_view text) {
  field_reader read(text);
  const std::chrono::year year(static_cast<int>(read.number(4)));
  read.character('-');
  const std::chrono::month month(read.number(2));
  read.character('-');
  const std::chrono::day day(read.number(2));
  if (!read.take('T')) read.character(' ');
  const unsigned hours = read.number(2);
  read.character(':');
  const unsigned minutes = read.number(2);
  read.character(':');
  const unsigned seconds = read.number(2);
  const nanoseconds fraction = read.take('.') ? read.fraction() : nanoseconds(0);
  const std::chrono::minutes offset = offset_of(read);
  const std::chrono::year_month_day date(year, month, day);
  // Nanoseconds since 1970 in 63 bits end in 2262.
  if (!read.complete() || !date.ok() || hours > 23 || minutes > 59 || seconds > 59 || year.operator int() < 1970 ||
      year.operator int() > 2200)
    return std::nullopt;
  return nanoseconds(std::chrono::sys_days(date).time_since_epoch()) + std::chrono::hours(hours) + std::chrono::minutes(minutes) +
         std::chrono::seconds(seconds) + fraction - offset;
}

std::optional<std::uint32_t> length_of(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

input_error wrong(const char* field, const std::string& expected, std::string_view given) {
  return {field, "expected " + expected + ", not '" + reports::excerpt(given, 60) + "'"};
}

}  // namespace

std::optional<input_error> read_csv_line(std::string_view line, trace_request& to, trace_line& read) {
  to.blocks.clear();
  std::array<std::string_view, 3> fields;
  std::string_view rest = line;
  for (std::size_t index = 0; index < fields.size(); ++index) {
    const std::size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (index + 1 == fields.size()))
      return input_error{
          "", "expected the three fields " + std::string(trace_csv_header) + ", not '" + reports::excerpt(line, 60) + "'"};
    fields[index] = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  const std::optional<nanoseconds> time = time_of(fields[0]);
  if (!time) return wrong("TIMESTAMP", "a time like 2023-11-16 18:17:03.9799600", fields[0]);
  const std::string length = "an integer from 0 to " + std::to_string(std::numeric_limits<std::uint32_t>::max());
  const std::optional<std::uint32_t> input = length_of(fields[1]);
  if (!input) return wrong("ContextTokens", length, fields[1]);
  const std::optional<std::uint32_t> output = length_of(fields[2]);
  if (!output) return wrong("GeneratedTokens", length, fields[2]);
  read.time = *time;
  to.input_tokens = *input;
  to.output_tokens = *output;
  return std::nullopt;
}

}  // namespace kvrace::scenarios

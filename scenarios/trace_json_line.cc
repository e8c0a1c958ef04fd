#include <array>
#include <cmath>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "reports/json_text.h"
#include "reports/plain_text.h"
#include "scenarios/trace_line.h"

namespace kvrace::scenarios {
namespace {

using nlohmann::json;

constexpr std::uint64_t length_max = 0xffff'ffff;
constexpr double milliseconds_max = 9e12;  // nanoseconds in 63 bits

enum class member : std::uint8_t { timestamp, input_length, output_length, hash_ids, other };
constexpr std::array<const char*, 4> member_names = {"timestamp", "input_length", "output_length", "hash_ids"};

// Takes the members as they are read, without a document in between.
class line_handler final : public json::json_sax_t {
 public:
  line_handler(trace_request& to, trace_line& read) : to_(to), read_(read) { to.blocks.clear(); }

  [[nodiscard]] const std::optional<input_error>& error() const { return error_; }
  // What is wrong with a line that was read to its end.
  [[nodiscard]] std::optional<input_error> incomplete() const {
    for (std::size_t which = 0; which < member_names.size(); ++which)
      if (!seen_[which]) return input_error{"", std::string("expected the key '") + member_names[which] + "'"};
    return std::nullopt;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (!takes_value()) return ignore();
    if (depth_ == 0) return fail_value(std::to_string(value));
    if (member_ == member::timestamp) return time(static_cast<double>(value), value);
    if (value > length_max) return fail_integer(std::to_string(value));
    const auto number = static_cast<std::uint32_t>(value);
    if (member_ == member::hash_ids) return in_blocks_ ? add(number) : fail_array();
    (member_ == member::input_length ? to_.input_tokens : to_.output_tokens) = number;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    if (!takes_value()) return ignore();
    return fail_value(std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    if (!takes_value()) return ignore();
    return depth_ != 0 && member_ == member::timestamp && value >= 0 ? time(value, std::nullopt) : fail_value(text);
  }
  bool null() override { return takes_value() ? fail_value("null") : ignore(); }
  bool boolean(bool value) override { return takes_value() ? fail_value(value ? "true" : "false") : ignore(); }
  bool string(string_t& value) override { return takes_value() ? fail_value("'" + reports::excerpt(value, 60) + "'") : ignore(); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    if (depth_ == 0 || !takes_value()) return open();
    return fail_value("an object");
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) return fail("", "expected a JSON object, not an array");
    if (!takes_value()) return open();
    if (member_ != member::hash_ids || in_blocks_) return fail_value("an array");
    in_blocks_ = true;
    return open();
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    member_ = member::other;
    for (std::size_t which = 0; which < member_names.size(); ++which) {
      if (name != member_names[which]) continue;
      if (seen_[which]) return fail("/" + name, "expected this key once");
      seen_[which] = true;
      member_ = static_cast<member>(which);
    }
    if (member_ == member::other) ++read_.members_ignored;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  [[nodiscard]] bool takes_value() const { return depth_ == 0 || member_ != member::other; }
  bool ignore() { return true; }
  bool open() {
    ++depth_;
    return true;
  }
  bool close() {
    if (--depth_ == 1) in_blocks_ = false;
    return true;
  }
  bool add(std::uint32_t block) {
    to_.blocks.push_back(block);
    return true;
  }
  bool time(double milliseconds, std::optional<std::uint64_t> exactly) {
    if (!(milliseconds <= milliseconds_max)) return fail_time(exactly ? std::to_string(*exactly) : std::to_string(milliseconds));
    read_.time = exactly ? std::chrono::nanoseconds(std::chrono::milliseconds(*exactly))
                         : std::chrono::nanoseconds(std::llround(milliseconds * 1e6));
    return true;
  }

  bool fail(std::string where, std::string expected) {
    error_ = input_error{std::move(where), std::move(expected)};
    return false;
  }
  [[nodiscard]] std::string pointer() const {
    std::string text = std::string("/") + member_names[static_cast<std::size_t>(member_)];
    return in_blocks_ ? reports::pointer_to(text, to_.blocks.size()) : text;
  }
  bool fail_integer(const std::string& given) {
    return fail(pointer(), "expected an integer from 0 to " + std::to_string(length_max) + ", not " + given);
  }
  bool fail_time(const std::string& given) {
    return fail(pointer(), "expected milliseconds from 0 to 9000000000000, not " + given);
  }
  bool fail_array() { return fail(pointer(), "expected an array of integers, one for each block"); }
  bool fail_value(const std::string& given) {
    if (depth_ == 0) return fail("", "expected a JSON object, not " + given);
    if (member_ == member::timestamp) return fail_time(given);
    return member_ == member::hash_ids && !in_blocks_ ? fail_array() : fail_integer(given);
  }

  trace_request& to_;
  trace_line& read_;
  std::size_t depth_ = 0;
  member member_ = member::other;
  bool in_blocks_ = false;
  std::array<bool, member_names.size()> seen_{};
  std::optional<input_error> error_;
};

// In the words of the reader of scenarios and reports, where the text is no JSON to it either.
std::optional<input_error> syntax_error(std::string_view line) {
  std::variant<json, input_error> parsed = reports::parse_json<json>(line);
  input_error* const error = std::get_if<input_error>(&parsed);
  if (error == nullptr) return std::nullopt;
  constexpr std::string_view first_line = "1:";
  if (error->where.starts_with(first_line)) error->where = "column " + error->where.substr(first_line.size());
  return *error;
}

}  // namespace

std::optional<input_error> read_json_line(std::string_view line, std::uint32_t tokens_per_block, trace_request& to,
                                          trace_line& read) {
  // The parser would pass over a byte order mark, and takes a NUL for the end.
  if (line.starts_with("\xef\xbb\xbf")) return input_error{"column 1", "expected no byte order mark"};
  if (line.find('\0') != std::string_view::npos) return syntax_error(line);
  line_handler handler(to, read);
  if (!json::sax_parse(line, &handler)) {
    if (handler.error()) return handler.error();
    if (std::optional<input_error> error = syntax_error(line)) return error;
    return input_error{"", "expected a JSON object"};
  }
  if (std::optional<input_error> error = handler.incomplete()) return error;
  const std::uint64_t blocks = (std::uint64_t{to.input_tokens} + tokens_per_block - 1) / tokens_per_block;
  if (blocks == to.blocks.size()) return std::nullopt;
  return input_error{"/hash_ids", "expected " + std::to_string(blocks) + " blocks of " + std::to_string(tokens_per_block) +
                                      " tokens, as input_length is " + std::to_string(to.input_tokens) + ", not " +
                                      std::to_string(to.blocks.size())};
}

}  // namespace kvrace::scenarios

#include "reports/json_text.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "reports/plain_text.h"
#include "reports/unicode.h"

namespace kvrace::reports {
namespace {

// Lines and columns count from 1; columns count bytes.
std::string place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  return std::to_string(line) + ":" + std::to_string(column);
}

std::optional<input_error> find_invalid_utf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const std::optional<code_point> character = decode(text.substr(offset));
    if (!character) return input_error{place_of(text, offset), "expected UTF-8, not byte " + printable(text.substr(offset, 1))};
    offset += character->length;
  }
  return std::nullopt;
}

// The parser takes a NUL for the end of the text, and would not look at what follows.
std::optional<input_error> find_nul(std::string_view text) {
  const std::size_t offset = text.find('\0');
  if (offset == std::string_view::npos) return std::nullopt;
  return input_error{place_of(text, offset), "expected JSON, not a NUL byte"};
}

// Before the parser sees the text: its own recursion and that of everything after it is bounded by this.
std::optional<input_error> find_deep_nesting(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t offset = 0; offset < text.size(); ++offset) {
    const char character = text[offset];
    if (in_string) {
      if (character == '\\')
        ++offset;
      else if (character == '"')
        in_string = false;
    } else if (character == '"') {
      in_string = true;
    } else if (character == '[' || character == '{') {
      if (++depth > nesting_max)
        return input_error{place_of(text, offset),
                           "expected at most " + std::to_string(nesting_max) + " nested arrays and objects"};
    } else if ((character == ']' || character == '}') && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

// Builds the document. What it adds to the library's own builder is the check that every key is there once.
template <class Json>
class builder final : public nlohmann::json_sax<Json> {
 public:
  explicit builder(std::string_view text) : text_(text) {}

  Json document;
  std::optional<input_error> error;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(typename Json::number_integer_t value) override { return add(value); }
  bool number_unsigned(typename Json::number_unsigned_t value) override { return add(value); }
  bool number_float(typename Json::number_float_t value, const typename Json::string_t&) override { return add(value); }
  bool string(typename Json::string_t& value) override { return add(std::move(value)); }
  bool binary(typename Json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(typename Json::string_t& name) override {
    frame& innermost = frames_.back();
    if (!innermost.is_new(name)) {
      error = input_error{pointer_to(pointer(), name), "expected this key once"};
      return false;
    }
    innermost.key = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& cause) override {
    error = input_error{place_of(text_, position == 0 ? 0 : position - 1), words_of(cause.what())};
    return false;
  }

 private:
  struct frame {
    Json* value = nullptr;
    std::string key;             // objects: the member being read
    std::vector<std::string> keys;  // objects: the members so far, while they are few
    std::set<std::string> many_keys;  // then

    bool is_new(const std::string& name) {
      constexpr std::size_t few = 32;
      if (std::find(keys.begin(), keys.end(), name) != keys.end()) return false;
      if (keys.size() == few) return many_keys.insert(name).second;
      keys.push_back(name);
      return true;
    }
  };

  std::string pointer() const {
    std::string text;
    for (std::size_t index = 0; index + 1 < frames_.size(); ++index) {
      const frame& parent = frames_[index];
      text = parent.value->is_object() ? pointer_to(text, parent.key) : pointer_to(text, parent.value->size() - 1);
    }
    return text;
  }

  Json* place(Json value) {
    if (frames_.empty()) return &(document = std::move(value));
    frame& innermost = frames_.back();
    if (innermost.value->is_array()) {
      innermost.value->push_back(std::move(value));
      return &innermost.value->back();
    }
    auto& members = innermost.value->template get_ref<typename Json::object_t&>();
    if constexpr (std::is_same_v<Json, nlohmann::ordered_json>) {
      // The key is new, and this container would search all of itself to find that out.
      members.Container::emplace_back(innermost.key, std::move(value));
      return &members.back().second;
    } else {
      return &(members[innermost.key] = std::move(value));
    }
  }

  template <class Value>
  bool add(Value&& value) {
    place(Json(std::forward<Value>(value)));
    return true;
  }
  bool open(Json value) {
    Json* const added = place(std::move(value));
    frames_.push_back({added, {}, {}, {}});
    return true;
  }
  bool close() {
    frames_.pop_back();
    return true;
  }

  // The library says: "[json...] parse error at line 1, column 2: syntax error while parsing value - REASON; expected X"; the
  // reason may quote all of a long token.
  static std::string words_of(std::string_view message) {
    if (message.find("number overflow") != std::string_view::npos) return "expected a number that fits a double";
    std::string reason(message);
    if (const std::size_t dash = reason.find(" - "); dash != std::string::npos) reason.erase(0, dash + 3);
    if (const std::size_t read = reason.find("; last read: "); read != std::string::npos) {
      const std::size_t after = reason.rfind("; expected ");
      reason.erase(read, after != std::string::npos && after > read ? after - read : std::string::npos);
    }
    return "expected JSON: " + reason;
  }

  std::string_view text_;
  std::vector<frame> frames_;
};

}  // namespace

template <class Json>
std::variant<Json, input_error> parse_json(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return input_error{"1:1", "expected a JSON object, not an empty file"};
  if (std::optional<input_error> error = find_nul(text)) return *std::move(error);
  if (std::optional<input_error> error = find_invalid_utf8(text)) return *std::move(error);
  if (std::optional<input_error> error = find_deep_nesting(text)) return *std::move(error);
  builder<Json> result(text);
  if (!Json::sax_parse(text, &result)) return result.error.value_or(input_error{"", "expected JSON"});
  return std::move(result.document);
}

template std::variant<nlohmann::json, input_error> parse_json(std::string_view);
template std::variant<nlohmann::ordered_json, input_error> parse_json(std::string_view);

}  // namespace kvrace::reports

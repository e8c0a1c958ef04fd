// A value in a document that is read strictly, and the place where it was found. Whatever is not as expected is thrown as an
// input_error that names the place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "reports/input_error.h"

namespace kvrace::reports {

[[noreturn]] inline void refuse(const std::string& pointer, const std::string& expected) {
  throw input_error{.where = pointer.empty() ? "(root)" : pointer, .expected = "expected " + expected};
}

class node {
  using json = nlohmann::ordered_json;

 public:
  node(const json& value, std::string pointer) : value_(value), pointer_(std::move(pointer)) {}

  [[nodiscard]] std::string text() const {
    if (!value_.is_string()) refuse(pointer_, "a string");
    return value_.get<std::string>();
  }
  [[nodiscard]] bool boolean() const {
    if (!value_.is_boolean()) refuse(pointer_, "true or false");
    return value_.get<bool>();
  }
  [[nodiscard]] double real() const {
    if (value_.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!value_.is_number()) refuse(pointer_, "a number");
    return value_.get<double>();
  }
  [[nodiscard]] std::uint64_t hex() const {
    constexpr const char* expected = "\"0x\" and 16 hexadecimal digits";
    if (!value_.is_string()) refuse(pointer_, expected);
    const std::string digits = value_.get<std::string>();
    if (digits.size() != 18 || !digits.starts_with("0x") ||
        digits.find_first_not_of("0123456789abcdef", 2) != std::string::npos) {
      refuse(pointer_, expected);
    }
    return std::stoull(digits, nullptr, 16);
  }
  [[nodiscard]] std::uint64_t count() const {
    if (value_.is_string()) return hex();
    if (!value_.is_number_unsigned()) refuse(pointer_, "an integer that is not negative");
    return value_.get<std::uint64_t>();
  }
  [[nodiscard]] unsigned small_count() const {
    const std::uint64_t value = count();
    if (value > std::numeric_limits<unsigned>::max()) refuse(pointer_, "an integer below 2^32");
    return static_cast<unsigned>(value);
  }
  [[nodiscard]] int exit_code() const {
    const std::uint64_t value = count();
    if (value > 255) refuse(pointer_, "an exit code, 0 to 255");
    return static_cast<int>(value);
  }

  [[nodiscard]] node member(const char* name) const {
    const auto found = value_.find(name);
    if (found == value_.end()) refuse(pointer_, "a member \"" + std::string(name) + '"');
    return {*found, pointer_to(pointer_, name)};
  }
  [[nodiscard]] bool has(const char* name) const { return value_.contains(name); }
  // The members must be these, and may be those.
  void expect_members(std::initializer_list<const char*> names, std::initializer_list<const char*> optional = {}) const {
    if (!value_.is_object()) refuse(pointer_, "an object");
    for (const char* name : names) static_cast<void>(member(name));
    const auto among = [](std::initializer_list<const char*> known, const std::string& name) {
      return std::find(known.begin(), known.end(), name) != known.end();
    };
    for (const auto& item : value_.items()) {
      if (!among(names, item.key()) && !among(optional, item.key())) {
        refuse(pointer_to(pointer_, item.key()), "no such member");
      }
    }
  }
  template <class Read>
  auto list(Read read) const {
    if (!value_.is_array()) refuse(pointer_, "an array");
    std::vector<decltype(read(*this))> out;
    out.reserve(value_.size());
    for (std::size_t i = 0; i < value_.size(); ++i) out.push_back(read(node(value_[i], pointer_to(pointer_, i))));
    return out;
  }
  // The members of an object whose names are data.
  template <class Read>
  auto named_list(Read read) const {
    if (!value_.is_object()) refuse(pointer_, "an object");
    std::vector<decltype(read(std::string(), *this))> out;
    for (const auto& item : value_.items()) out.push_back(read(item.key(), node(item.value(), pointer_to(pointer_, item.key()))));
    return out;
  }
  [[nodiscard]] bool is_object() const { return value_.is_object(); }
  [[nodiscard]] bool is_null() const { return value_.is_null(); }
  [[nodiscard]] const std::string& pointer() const { return pointer_; }

 private:
  const json& value_;
  std::string pointer_;
};

}  // namespace kvrace::reports

// For formats that are JSON and may be long: the parts are made and written one by one.
#pragma once

#include <ostream>
#include <string>

#include <nlohmann/json.hpp>

namespace kvrace::reports {

using ordered_json = nlohmann::ordered_json;  // members in the order in which they are written

// In one line. What is no UTF-8 becomes U+FFFD.
[[nodiscard]] inline std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// The items of an array, one a line. The brackets are the caller's.
class json_items {
 public:
  explicit json_items(std::ostream& out) : out_(out) {}
  void add(const ordered_json& item) {
    out_ << (first_ ? "\n" : ",\n") << dumped(item);
    first_ = false;
  }

 private:
  std::ostream& out_;
  bool first_ = true;
};

}  // namespace kvrace::reports

// Text line by line, in a bounded amount of memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "reports/input_error.h"

namespace kvrace::scenarios {

using reports::input_error;

// Where text comes from: as input_file::read.
using byte_source = std::function<std::variant<std::size_t, input_error>(std::span<char>)>;
// `text` must outlive it.
[[nodiscard]] byte_source bytes_of(std::string_view text);

class line_reader {
 public:
  // A longer line is an error, found without reading on.
  line_reader(byte_source source, std::size_t line_bytes_max);

  // The next line without its line break, valid until the next call; nullopt at the end, or where something is wrong.
  [[nodiscard]] std::optional<std::string_view> next();
  [[nodiscard]] const std::optional<input_error>& error() const { return error_; }
  // Of the line that was read last, from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  // The line that was read last had a line break: only the last one of a text can have none.
  [[nodiscard]] bool ended_by_break() const { return ended_by_break_; }

 private:
  bool read_more();

  byte_source source_;
  std::size_t line_bytes_max_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what has not been given out
  std::size_t end_ = 0;
  std::uint64_t number_ = 0;
  bool ended_by_break_ = true;
  bool at_end_ = false;
  std::optional<input_error> error_;
};

}  // namespace kvrace::scenarios

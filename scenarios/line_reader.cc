#include "scenarios/line_reader.h"

#include <cstring>
#include <string>
#include <utility>

namespace kvrace::scenarios {

namespace {
constexpr std::size_t buffer_bytes = 65'536;
}

byte_source bytes_of(std::string_view text) {
  return [text](std::span<char> to) mutable {
    const std::size_t count = text.copy(to.data(), to.size());
    text.remove_prefix(count);
    return count;
  };
}

line_reader::line_reader(byte_source source, std::size_t line_bytes_max)
    : source_(std::move(source)), line_bytes_max_(line_bytes_max), buffer_(buffer_bytes) {}

std::optional<std::string_view> line_reader::next() {
  if (error_) return std::nullopt;
  for (std::size_t searched = 0;;) {
    const char* const first = buffer_.data() + begin_;
    const std::size_t size = end_ - begin_;
    const void* const found = size == searched ? nullptr : std::memchr(first + searched, '\n', size - searched);
    const std::size_t length = found == nullptr ? size : static_cast<std::size_t>(static_cast<const char*>(found) - first);
    if (length > line_bytes_max_) {
      error_ =
          input_error{std::to_string(number_ + 1), "expected at most " + std::to_string(line_bytes_max_) + " bytes in a line"};
      return std::nullopt;
    }
    if (found != nullptr || (at_end_ && size != 0)) {
      ended_by_break_ = found != nullptr;
      begin_ += length + (ended_by_break_ ? 1 : 0);
      ++number_;
      return std::string_view(first, length);
    }
    if (at_end_) return std::nullopt;
    searched = size;
    if (!read_more()) return std::nullopt;
  }
}

// What has not been given out moves to the front. False if that failed.
bool line_reader::read_more() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  std::variant<std::size_t, input_error> count = source_(std::span(buffer_).subspan(end_));
  if (input_error* const error = std::get_if<input_error>(&count)) {
    error_ = std::move(*error);
    return false;
  }
  end_ += std::get<std::size_t>(count);
  at_end_ = std::get<std::size_t>(count) == 0;
  return true;
}

}  // namespace kvrace::scenarios

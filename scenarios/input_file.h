// An open file, for reading.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "reports/input_error.h"

namespace kvrace::scenarios {

using reports::input_error;

class input_file {
 public:
  // Or one line about why not. A named pipe is refused: it would keep the reader waiting for a writer. One that is open already,
  // as in kvrace run <(generate), is as good as a file.
  [[nodiscard]] static std::variant<input_file, input_error> open(const std::string& path);
  input_file(input_file&& other) noexcept;
  input_file& operator=(input_file&&) = delete;
  ~input_file();

  // As many bytes as there are, but at least one and at most as many as `to` holds; 0 at the end.
  [[nodiscard]] std::variant<std::size_t, input_error> read(std::span<char> to);

 private:
  explicit input_file(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace kvrace::scenarios

// UTF-8 as Unicode 15.0, table 3-7, defines it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kvrace::reports {

struct code_point {
  std::uint32_t value = 0;
  std::size_t length = 0;  // bytes
};

// The character at the start of `text`; nullopt if it is not valid UTF-8. `text` must not be empty.
[[nodiscard]] std::optional<code_point> decode(std::string_view text);

}  // namespace kvrace::reports

// What a request asks for: a sequence of tokens, and whose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kvrace::cache {

using token = std::uint32_t;

// Everything the K and V rows of a token depend on beside the tokens before it. Two requests may share a block only if all of
// it is equal.
struct identity {
  std::string model;
  std::string adapter;
  std::uint32_t adapter_version = 0;
  std::string tenant;  // cache salt
  friend bool operator==(const identity&, const identity&) = default;
};

struct prompt {
  identity owner;
  std::vector<token> tokens;
};

}  // namespace kvrace::cache

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

// How much it matters that a request finds its content cached, in a cache that reserves a share for it.
enum class priority_class : std::uint8_t { low, high };

struct prompt {
  identity owner;
  std::vector<token> tokens;
  priority_class priority = priority_class::low;  // no part of the key: content is shared between classes
};

}  // namespace kvrace::cache

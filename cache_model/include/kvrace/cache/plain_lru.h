// What a cache of blocks is compared with: least recently used over names, and nothing else.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

namespace kvrace::cache {

// Exact: touched one at a time, nothing is pinned, nothing is in flight.
class plain_lru {
 public:
  static constexpr std::uint64_t unbounded = ~std::uint64_t{0};

  // Requires a capacity of at least 1.
  explicit plain_lru(std::uint64_t capacity) : capacity_(capacity) {}

  // Whether it is there. Afterwards it is, as the one used last, in the place of the one used least recently if there is no
  // other.
  bool touch(std::uint32_t name);

 private:
  using list = std::list<std::uint32_t>;
  std::uint64_t capacity_;
  list order_;  // used least recently first
  std::unordered_map<std::uint32_t, list::iterator> places_;
};

// Whether names are those of chained blocks: each always behind the same other one, or always first.
class chain_check {
 public:
  static constexpr std::uint64_t no_parent = ~std::uint64_t{0};
  // False if it was seen behind another parent before; the first one counts.
  bool follows(std::uint64_t parent, std::uint32_t name) { return parents_.emplace(name, parent).first->second == parent; }

 private:
  std::unordered_map<std::uint32_t, std::uint64_t> parents_;
};

}  // namespace kvrace::cache

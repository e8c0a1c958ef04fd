// What stands beside a prefix cache in a serving system: parts as small as the public bugs in them need, driven like the cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kvrace::cache {

// Which parts there are. None by default: a run makes only what is driven.
struct parts_options {
  std::vector<std::string> keys = {};  // what reports call the keys 0, 1, ...
  bool read_through = false;      // for load and update
  bool connections = false;       // for fetch
  std::uint32_t connections_max = 1;

  [[nodiscard]] bool any() const { return read_through || connections; }
};

// Every call is one kvrace::operation. Requires the part that it drives.
class parts {
 public:
  virtual ~parts() = default;

  // A value that is computed by the first who asks; the others wait for it.
  virtual void load(std::uint32_t key) = 0;
  // Adds one to a value.
  virtual void update(std::uint32_t key) = 0;
  // A value from a store, over a pooled connection. May be cancelled where it waits, if fault_budget::cancellations allows it.
  virtual void fetch(std::uint32_t key) = 0;
};

}  // namespace kvrace::cache

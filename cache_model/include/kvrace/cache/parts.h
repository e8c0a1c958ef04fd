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
  bool buffered = false;  // for put and maintain
  bool batch = false;     // for admit and device_step

  [[nodiscard]] bool any() const { return read_through || connections || buffered || batch; }
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
  // Writes to a cache whose eviction order is kept up by a housekeeper. It holds as many entries as the prefix cache has blocks.
  virtual void put(std::uint32_t key) = 0;
  virtual void maintain() = 0;
  // A request joins those that a device runs, one block each: as many as the prefix cache has blocks.
  virtual void admit() = 0;
  virtual void device_step() = 0;

  // As simulation::audit and finish.
  virtual void audit() = 0;
  virtual void finish() = 0;
};

}  // namespace kvrace::cache

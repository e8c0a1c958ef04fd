// Memory models as they are defined: relations over the events of one graph, as matrices of bits. Included by tests only.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <kvrace/result.h>

namespace kvrace::testing {

// {-1, -1} is the initial write of a location.
struct event_name {
  int task = -1;
  int index = -1;
  friend bool operator==(const event_name&, const event_name&) = default;
};

struct axiom_event {
  enum class kind : std::uint8_t { read, write, update_read, update_write, fence, other } what;
  int location = -1;
  std::memory_order order = std::memory_order_relaxed;
  event_name source = {};
  int value = 0;
  int datum = -1;  // a plain access
  bool writes_datum = false;
};

struct axiom_graph {
  std::vector<std::vector<axiom_event>> events;         // by task
  std::vector<std::vector<event_name>> modification;    // by location, without the initial write
};

[[nodiscard]] bool consistent(const axiom_graph&, memory_model);
[[nodiscard]] bool has_race(const axiom_graph&);
[[nodiscard]] std::string key_of(const axiom_graph&);

}  // namespace kvrace::testing

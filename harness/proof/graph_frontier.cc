// What an exploration has left to do, as bytes: for other processes, and for a later one.
#include <algorithm>

#include "proof/graph_bytes.h"
#include "proof/graph_explorer.h"

namespace kvrace::detail {

namespace {

struct item_header {
  std::uint32_t frames;
  std::uint32_t urgent;
  std::uint16_t has_answer;
  std::uint16_t answer;
  std::uint32_t answering_lane;
};

struct frame_header {
  std::uint32_t size;    // of the graph
  std::uint32_t events;  // that are kept: what an alternative was made for may lie behind the end
  std::int32_t weak;
  std::uint16_t revisiting, revisited;
  graph_clock stable;
};

[[nodiscard]] bool notifies(const event& e) {
  return e.kind == event_kind::fence && e.operation == graph_operation::notify_change;
}

}  // namespace

// Locations are written as their place in the list of those the frame has touched, or by name where none reads or writes them.
void graph_explorer::write_frame(byte_writer& to, const frame& from, std::size_t first, std::size_t last,
                                 const identity_of& identity) {
  const execution_graph& g = from.graph;
  const std::vector<std::uint16_t>& touched = g.touched();
  const auto index_of = [&touched](unsigned location) {
    const auto found = std::find(touched.begin(), touched.end(), location);
    return static_cast<std::uint16_t>(found == touched.end() ? 0 : found - touched.begin());
  };
  unsigned events = g.size();
  for (std::size_t i = first; i < last; ++i) events = std::max(events, from.waiting[i].size + 1U);
  to.put(frame_header{g.size(), events, from.trail.weak, from.revisiting, from.revisited, g.stable});
  to.put<std::uint64_t>(touched.size());
  for (const std::uint16_t location : touched) {
    to.put(identity(location));
    to.put_list(g.on(location).writes);
    to.put_list(g.on(location).reads);
  }
  for (unsigned at = 0; at < events; ++at) {
    event e = g[at];
    if (reads(e) || writes(e)) e.location = index_of(e.location);
    if (at < g.size() && notifies(e)) e.value = identity(static_cast<unsigned>(e.value));
    to.put(e);
  }
  to.put_list(from.trail.changes);
  to.put_list(from.trail.marks);
  to.put<std::uint64_t>(last - first);
  for (std::size_t i = first; i < last; ++i) {
    alternative waits = from.waiting[i];
    waits.location = index_of(waits.location);
    to.put(waits);
  }
}

void graph_explorer::read_frame(byte_reader& from, const location_of& location) {
  push_frame();
  execution_graph& g = graph();
  const auto head = from.get<frame_header>();
  std::vector<std::uint16_t> touched(from.get<std::uint64_t>());
  for (std::uint16_t& each : touched) {
    each = static_cast<std::uint16_t>(location(from.get<std::uint64_t>()));
    g.touch(each);
    g.on(each).writes = from.get_list<place>();
    g.on(each).reads = from.get_list<place>();
  }
  const auto known = [&touched](std::uint16_t index) { return index < touched.size() ? touched[index] : std::uint16_t{0}; };
  for (unsigned at = 0; at < head.events; ++at) {
    event& e = g[at] = from.get<event>();
    if (reads(e) || writes(e)) e.location = known(e.location);
    if (at < head.size && notifies(e)) e.value = location(e.value);
  }
  g.index_first(head.size);
  g.stable = head.stable;
  frame_->trail.changes = from.get_list<consistency::trail::change>();
  frame_->trail.marks = from.get_list<std::uint32_t>();
  frame_->trail.weak = head.weak;
  frame_->revisiting = head.revisiting;
  frame_->revisited = head.revisited;
  frame_->waiting = from.get_list<alternative>();
  for (alternative& each : frame_->waiting) each.location = known(each.location);
}

std::string graph_explorer::save(const identity_of& identity) const {
  byte_writer to;
  const auto waits = [](const std::unique_ptr<frame>& each) { return !each->waiting.empty(); };
  const auto end = frames_.begin() + static_cast<std::ptrdiff_t>(depth_);
  to.put(item_header{static_cast<std::uint32_t>(std::count_if(frames_.begin(), end, waits)), lanes_max, 0, 0, lanes_max});
  for (auto at = frames_.begin(); at != end; ++at)
    if (waits(*at)) write_frame(to, **at, 0, (*at)->waiting.size(), identity);
  return to.take();
}

std::string graph_explorer::save_executed(const identity_of& identity) const {
  byte_writer to;
  to.put(item_header{1, urgent_, has_answer_, answer_, answering_lane_});
  write_frame(to, *frame_, 0, 0, identity);
  return to.take();
}

std::vector<std::string> graph_explorer::give_away(unsigned parts, const identity_of& identity) {
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < depth_; ++i) waiting += frames_[i]->waiting.size();
  std::vector<std::string> given;
  for (std::size_t i = 0; i < depth_; ++i) {
    frame& each = *frames_[i];
    std::size_t taken = 0;
    for (; taken < each.waiting.size() && given.size() < parts && waiting > 1; ++taken, --waiting) {
      byte_writer to;
      to.put(item_header{1, lanes_max, 0, 0, lanes_max});
      write_frame(to, each, taken, taken + 1, identity);
      given.push_back(to.take());
    }
    each.waiting.erase(each.waiting.begin(), each.waiting.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  std::reverse(given.begin(), given.end());  // what waits longest is explored last
  return given;
}

void graph_explorer::load(std::string_view item, const location_of& location) {
  byte_reader from(item);
  const auto head = from.get<item_header>();
  depth_ = 0;
  frame_ = nullptr;
  for (unsigned i = 0; i < head.frames; ++i) read_frame(from, location);
  urgent_ = head.urgent;
  has_answer_ = head.has_answer != 0;
  answer_ = head.answer;
  answering_lane_ = head.answering_lane;
}

}  // namespace kvrace::detail

#include "proof/graph_enumerator.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proof/graph_axioms.h"

namespace kvrace::testing {

namespace {

// Locations: the two atomics, the mutex, the gate of the shared_mutex, and its part for each task. A lock holds 1 while it is
// taken.
constexpr int the_lock = 2;
constexpr int gate = 3;
constexpr int first_part = 4;

// What a task does next, given the results so far.
struct intention {
  enum class kind : std::uint8_t { read, write, add, exchange_if, fence, choose, lock, plain_read, plain_write } what;
  int location = 0;
  int value = 0;
  int expected = 0;
  std::memory_order order = std::memory_order_relaxed;
  std::memory_order failure = std::memory_order_relaxed;
};

std::memory_order failing(std::memory_order order) {
  if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
  return order == std::memory_order_release ? std::memory_order_relaxed : order;
}

// A task executed from its start on known results, up to the first operation without one.
class replayed {
 public:
  replayed(const std::vector<statement>& statements, unsigned task, unsigned tasks, const std::vector<int>& results)
      : task_(static_cast<int>(task)), tasks_(static_cast<int>(tasks)), results_(results) {
    for (const statement& each : statements)
      if (!execute(each)) return;
    if (holds_ && !step({intention::kind::write, the_lock, 0, 0, std::memory_order_release})) return;
    if (!release()) return;
    next_.reset();
  }
  [[nodiscard]] const std::optional<intention>& next() const { return next_; }
  [[nodiscard]] const observation& seen() const { return seen_; }

 private:
  using kind = intention::kind;
  enum class held : std::uint8_t { no, shared, exclusive };

  // False if its result is not known yet.
  bool step(const intention& wanted) {
    next_ = wanted;
    if (at_ == results_.size()) return false;
    result_ = results_[at_++];
    return true;
  }
  void saw(char what, int value) { seen_ += what + std::to_string(value); }

  bool execute(const statement& each) {
    const auto location = static_cast<int>(each.object);
    switch (each.what) {
      case action::load:
        if (!step({kind::read, location, 0, 0, each.order})) return false;
        saw('l', result_);
        return true;
      case action::store: return step({kind::write, location, each.value, 0, each.order});
      case action::add:
        if (!step({kind::add, location, each.value, 0, each.order})) return false;
        saw('a', result_);
        return true;
      case action::exchange_if:
        if (!step({kind::exchange_if, location, each.value, each.expected, each.order, failing(each.order)})) return false;
        saw(result_ == each.expected ? 'x' : 'f', result_);
        return true;
      case action::fence: return step({kind::fence, 0, 0, 0, each.order});
      case action::choose:
        if (!step({kind::choose, 0, each.value})) return false;
        saw('c', result_);
        return true;
      case action::read_plain: return step({kind::plain_read, location});
      case action::write_plain: return step({kind::plain_write, location});
      case action::lock:
        if (holds_) return true;
        holds_ = true;
        return step({kind::lock, the_lock, 1, 0, std::memory_order_acquire});
      case action::try_lock:
        if (holds_) return true;
        if (!step({kind::exchange_if, the_lock, 1, 0, std::memory_order_acquire, std::memory_order_relaxed})) return false;
        holds_ = result_ == 0;
        saw('t', holds_);
        return true;
      case action::unlock:
        if (!holds_) return true;
        holds_ = false;
        return step({kind::write, the_lock, 0, 0, std::memory_order_release});
      case action::lock_shared:
        if (shared_ != held::no) return true;
        shared_ = held::shared;
        return step({kind::lock, first_part + task_, 1, 0, std::memory_order_acquire});
      case action::lock_exclusive:
        if (shared_ != held::no) return true;
        shared_ = held::exclusive;
        return all_parts({kind::lock, 0, 1, 0, std::memory_order_acquire});
      case action::release: return release();
      default: return true;
    }
  }
  bool all_parts(intention each) {
    for (each.location = gate; each.location < first_part + tasks_; ++each.location)
      if (!step(each)) return false;
    return true;
  }
  bool release() {
    const held was = std::exchange(shared_, held::no);
    if (was == held::no) return true;
    const intention give_back{kind::write, first_part + task_, 0, 0, std::memory_order_release};
    return was == held::shared ? step(give_back) : all_parts(give_back);
  }

  int task_;
  int tasks_;
  const std::vector<int>& results_;
  std::size_t at_ = 0;
  int result_ = 0;
  std::optional<intention> next_;
  observation seen_;
  bool holds_ = false;
  held shared_ = held::no;
};

// Keyed by what makes graphs equal: the events of each task with their sources, and the modification orders.
class enumeration {
 public:
  enumeration(const small_program& program, memory_model model, std::uint64_t visited_max)
      : program_(program), model_(model), visited_max_(visited_max) {}

  all_graphs run() {
    add({std::vector<std::vector<axiom_event>>(program_.tasks.size()),
         std::vector<std::vector<event_name>>(first_part + tasks())});
    while (!open_.empty() && !found_.cut) {
      const axiom_graph graph = std::move(open_.back());
      open_.pop_back();
      extend(graph);
    }
    found_.visited = known_.size();
    return found_;
  }

 private:
  [[nodiscard]] unsigned tasks() const { return static_cast<unsigned>(program_.tasks.size()); }

  static int value_of(const axiom_graph& graph, const event_name& write) {
    return write.task < 0 ? 0 : graph.events[static_cast<std::size_t>(write.task)][static_cast<std::size_t>(write.index)].value;
  }
  static std::vector<int> results_of(const axiom_graph& graph, unsigned task) {
    std::vector<int> results;
    for (const axiom_event& each : graph.events[task])
      if (each.what == axiom_event::kind::read || each.what == axiom_event::kind::update_read)
        results.push_back(value_of(graph, each.source));
      else if (each.what != axiom_event::kind::update_write)
        results.push_back(each.value);
    return results;
  }

  void add(axiom_graph graph) {
    if (known_.size() >= visited_max_) {
      found_.cut = true;
      return;
    }
    if (!known_.insert(key_of(graph)).second) return;
    open_.push_back(std::move(graph));
  }
  void try_adding(const axiom_graph& graph) {
    if (consistent(graph, model_)) {
      moved_ = true;
      add(graph);
    }
  }

  void extend(const axiom_graph& graph) {
    moved_ = false;
    bool waits = false;
    for (unsigned task = 0; task < tasks(); ++task) {
      const std::vector<int> results = results_of(graph, task);
      const replayed so_far(program_.tasks[task], task, tasks(), results);
      if (!so_far.next()) continue;
      waits = true;
      extend(graph, task, *so_far.next());
    }
    if (moved_) return;
    found_.races |= has_race(graph);
    if (waits) {
      ++found_.blocked;
      return;
    }
    ++found_.complete;
    observation all;
    for (unsigned task = 0; task < tasks(); ++task) {
      const std::vector<int> results = results_of(graph, task);
      all += replayed(program_.tasks[task], task, tasks(), results).seen() + '|';
    }
    for (std::size_t location = 0; location < 2; ++location) {
      const auto& order = graph.modification[location];
      all += std::to_string(order.empty() ? 0 : value_of(graph, order.back())) + ' ';
    }
    found_.observations.insert(all);
  }

  void extend(const axiom_graph& graph, unsigned task, const intention& next) {
    using kind = intention::kind;
    const auto location = static_cast<std::size_t>(next.location);
    axiom_graph more = graph;
    auto& events = more.events[task];
    if (next.what == kind::fence || next.what == kind::plain_read || next.what == kind::plain_write ||
        next.what == kind::choose) {
      events.push_back({next.what == kind::fence ? axiom_event::kind::fence : axiom_event::kind::other, -1, next.order});
      if (next.what != kind::fence && next.what != kind::choose) events.back().datum = next.location;
      events.back().writes_datum = next.what == kind::plain_write;
      for (int outcome = 0; outcome < (next.what == kind::choose ? next.value : 1); ++outcome) {
        events.back().value = outcome;
        try_adding(more);
      }
      return;
    }
    const event_name name{static_cast<int>(task), static_cast<int>(events.size())};
    if (next.what == kind::write) {
      events.push_back({axiom_event::kind::write, next.location, next.order, {}, next.value});
      place_everywhere(more, location, name);
      return;
    }
    std::vector<event_name> sources = graph.modification[location];
    sources.insert(sources.begin(), event_name{});
    for (std::size_t position = 0; position < sources.size(); ++position) {
      more = graph;
      auto& added = more.events[task];
      const int old = value_of(graph, sources[position]);
      if (next.what == kind::lock && old != 0) continue;
      const bool compares = next.what == kind::exchange_if;
      if (next.what == kind::read || (compares && old != next.expected)) {
        added.push_back({axiom_event::kind::read, next.location, compares ? next.failure : next.order, sources[position]});
      } else {
        const int value = next.what == kind::add ? old + next.value : next.value;
        added.push_back({axiom_event::kind::update_read, next.location, next.order, sources[position]});
        added.push_back({axiom_event::kind::update_write, next.location, next.order, {}, value});
        auto& order = more.modification[location];
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(position), {name.task, name.index + 1});
      }
      try_adding(more);
    }
  }
  void place_everywhere(const axiom_graph& graph, std::size_t location, const event_name& name) {
    for (std::size_t position = 0; position <= graph.modification[location].size(); ++position) {
      axiom_graph more = graph;
      auto& order = more.modification[location];
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(position), name);
      try_adding(more);
    }
  }

  const small_program& program_;
  memory_model model_;
  std::uint64_t visited_max_;
  all_graphs found_;
  std::set<std::string> known_;
  std::vector<axiom_graph> open_;
  bool moved_ = false;
};

}  // namespace

all_graphs enumerate(const small_program& program, memory_model model, std::uint64_t visited_max) {
  return enumeration(program, model, visited_max).run();
}

}  // namespace kvrace::testing

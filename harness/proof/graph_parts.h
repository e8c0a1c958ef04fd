// An exploration in parts, in the order in which one process would explore them.
//
// Each part is an item (see graph_explorer::save) and what was found in it before; together they are the whole exploration at any
// time, so that they can be written down and taken up again. Where executions of a part end the exploration or its beginnings (an
// event), what comes before decides first, and what comes after counts for nothing: so the outcome is that of one process.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "proof/graph_account.h"
#include "proof/graph_workers.h"

namespace kvrace::detail {

class graph_parts {
 public:
  struct part {
    std::string item;  // what is left of it, nothing once it is done
    graph_account account;
    enum class state : std::uint8_t { waits, in_work, done, event } now = state::waits;
    // Of an event: its graph, and what was found since the item was as it is.
    std::string executed = {};
    std::optional<graph_account> before_event = {};
  };
  using handle = std::list<part>::iterator;

  explicit graph_parts(graph_account nothing) : nothing_(std::move(nothing)) {}

  void append(std::string item);
  [[nodiscard]] bool empty() const { return parts_.empty(); }
  // The first that waits, which is then in work.
  [[nodiscard]] std::optional<handle> take();
  [[nodiscard]] bool wanted(handle at) const;  // no event comes before it
  void absorb(handle at, graph_report report);
  static void put_back(handle at) { at->now = part::state::waits; }  // as it was when it was taken
  // Moves what is done and has nothing before it to `sum`. If an event comes first then, returns its graph, and what came before
  // it in its part is in `sum` too; the rest is dropped.
  [[nodiscard]] std::optional<std::string> settle(graph_account& sum);

  // All of them together with `sum`, and the items left in order.
  [[nodiscard]] graph_account total(const graph_account& sum) const;
  [[nodiscard]] std::vector<std::string> items() const;
  [[nodiscard]] std::uint64_t executions() const;

 private:
  graph_account nothing_;
  std::list<part> parts_;
};

}  // namespace kvrace::detail

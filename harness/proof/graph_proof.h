// The exploration of every execution graph of a program, one execution at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proof/graph_explorer.h"
#include "proof/graph_run.h"
#include "proof/linear_order.h"
#include "proof/state_table.h"
#include "runtime/execution.h"

namespace kvrace::detail {

class graph_proof {
 public:
  explicit graph_proof(graph_model model) : explorer_(model), run_(explorer_) {}

  enum class step : std::uint8_t {
    complete,
    blocked,
    inconsistent,
    restart,    // the exploration begins anew, with more to keep
    violation,
    unsound,
    cut,        // by settings.go_on
    refused,    // see refusal()
    explored,   // nothing was executed: all graphs were
  };
  // `settings` is taken over but for the graph.
  step next(execution& execution, const program& tested, execution::settings settings);

  // Executes the program along the same graph again.
  void again(execution& execution, const program& tested, execution::settings settings);

  [[nodiscard]] bool waited_in_loop() const { return run_.waited_in_loop(); }
  [[nodiscard]] const std::string& refusal() const { return run_.refusal(); }
  [[nodiscard]] std::uint64_t complete() const { return complete_; }
  [[nodiscard]] std::uint64_t blocked() const { return blocked_; }
  [[nodiscard]] std::uint64_t inconsistent() const { return inconsistent_; }

  // The graph just executed as an interleaving, until the next call; nullptr if it is not sequentially consistent.
  [[nodiscard]] const linear_order* order();
  // Of programs with audits, see search_counts.
  [[nodiscard]] std::uint64_t judged() const { return judged_; }
  [[nodiscard]] std::uint64_t unjudged() const { return unjudged_; }

  // Of the graph just executed: equal for equal graphs, whatever the order in which they were explored.
  [[nodiscard]] state_key key();
  [[nodiscard]] graph_explorer& explorer() { return explorer_; }

 private:
  static run_end run(execution& execution, const program& tested, execution::settings settings,
                     std::vector<std::uint64_t>& metrics, std::size_t size);
  std::optional<step> judge(execution& execution, const program& tested, execution::settings settings, std::size_t metrics);

  graph_explorer explorer_;
  graph_run run_;
  bool begun_ = false;
  std::uint64_t complete_ = 0;
  std::uint64_t blocked_ = 0;
  std::uint64_t inconsistent_ = 0;
  std::uint64_t judged_ = 0;
  std::uint64_t unjudged_ = 0;
  linear_order order_;
  std::vector<std::uint64_t> metrics_of_graph_;
  std::vector<std::uint64_t> metrics_of_order_;
};

}  // namespace kvrace::detail

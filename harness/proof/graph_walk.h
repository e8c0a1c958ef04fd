// Executions of an exploration, and the account of them.
#pragma once

#include <functional>
#include <string_view>

#include "proof/graph_account.h"
#include "proof/graph_proof.h"

namespace kvrace::detail {

class graph_walk {
 public:
  using step = graph_proof::step;

  graph_walk(graph_model model, const limits& limits, const program& tested, execution& execution)
      : limits_(limits), tested_(tested), execution_(execution), proof_(model) {}

  // Executes the next graph, or the one saved (see graph_proof), and adds it to the account.
  step next(graph_account& account, const std::function<bool()>* go_on = nullptr) {
    return count(proof_.next(execution_, tested_, settings(account.metrics, go_on)), account);
  }
  step execute_saved(std::string_view item, graph_account& account) {
    return count(proof_.execute_saved(item, execution_, tested_, settings(account.metrics, nullptr)), account);
  }
  // The graph just executed once more, recorded.
  void again(recorder& record, std::span<std::uint64_t> metrics);

  // See graph_proof::probe.
  [[nodiscard]] std::optional<double> probe(random_source& random, std::span<std::uint64_t> scratch) {
    return proof_.probe(random, execution_, tested_, settings(scratch, nullptr));
  }

  [[nodiscard]] graph_proof& proof() { return proof_; }
  [[nodiscard]] const execution& executed() const { return execution_; }

 private:
  [[nodiscard]] execution::settings settings(std::span<std::uint64_t> metrics, const std::function<bool()>* go_on) const {
    return {.limits = limits_, .set_up = schedule::setting::search, .metrics = metrics, .go_on = go_on};
  }
  step count(step came, graph_account& account);

  limits limits_;
  const program& tested_;
  execution& execution_;
  graph_proof proof_;
};

}  // namespace kvrace::detail

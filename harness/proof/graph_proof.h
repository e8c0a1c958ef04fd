// The exploration of every execution graph of a program, one execution at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proof/graph_digest.h"
#include "proof/graph_explorer.h"
#include "proof/graph_run.h"
#include "proof/linear_order.h"
#include "runtime/execution.h"

namespace kvrace::detail {

class graph_proof {
 public:
  explicit graph_proof(graph_model model) : model_(model), explorer_(model), run_(explorer_) {}
  graph_proof(const graph_proof&) = delete;
  graph_proof& operator=(const graph_proof&) = delete;

  enum class step : std::uint8_t {
    complete,
    blocked,
    inconsistent,
    restart,    // the exploration must begin anew, with more to keep
    violation,
    unsound,
    cut,        // by settings.go_on
    refused,    // see refusal()
    explored,   // nothing was executed: all graphs were
  };
  // Executes the next graph. `settings` is taken over but for the graph.
  step next(execution& execution, const program& tested, const execution::settings& settings);

  // Drops everything but what executions have taught.
  void restart();

  // ---- what is left, as bytes ----
  [[nodiscard]] std::string save() const { return explorer_.save(identities_); }
  [[nodiscard]] std::vector<std::string> give_away(unsigned parts) { return explorer_.give_away(parts, identities_); }
  void load(std::string_view item);
  void drop();  // all that is left
  // The graph just executed, whatever became of it, and its execution from there, perhaps in another process.
  [[nodiscard]] std::string save_executed() const { return explorer_.save_executed(identities_); }
  step execute_saved(std::string_view item, execution& execution, const program& tested, const execution::settings& settings);
  // A random path through the tree of executions, by execution of what lies on it (Knuth, Mathematics of Computation 29, 1975):
  // its expectation is the number of executions. nullopt: it met what the exploration does not know yet.
  [[nodiscard]] std::optional<double> probe(random_source& random, execution& execution, const program& tested,
                                            execution::settings settings);

  void save_knowledge(byte_writer& to) const;
  void load_knowledge(byte_reader& from);

  // Executes the program along the same graph again.
  void again(execution& execution, const program& tested, execution::settings settings);

  [[nodiscard]] bool waited_in_loop() const { return run_.waited_in_loop(); }
  [[nodiscard]] const std::string& refusal() const { return run_.refusal(); }

  // The graph just executed as an interleaving, until the next call; nullptr if it is not sequentially consistent.
  [[nodiscard]] const linear_order* order();
  // Whether the execution just made, being complete and of a program with audits, was also made as an interleaving.
  enum class judgement : std::uint8_t { none, made, impossible };
  [[nodiscard]] judgement judged() const { return judged_; }

  // Of the graph just executed.
  [[nodiscard]] state_key key() { return key_of(explorer_.graph(), run_); }

 private:
  step execute(execution& execution, const program& tested, execution::settings settings);
  static run_end run(execution& execution, const program& tested, execution::settings settings,
                     std::vector<std::uint64_t>& metrics, std::size_t size);
  std::optional<step> judge(execution& execution, const program& tested, execution::settings settings, std::size_t metrics);

  graph_model model_;
  graph_explorer explorer_;
  graph_run run_;
  graph_explorer::identity_of identities_ = [this](unsigned location) { return run_.identity(location); };
  graph_explorer::location_of locations_ = [this](std::uint64_t identity) { return run_.location_with(identity); };
  std::optional<graph_explorer> probed_;
  bool begun_ = false;
  judgement judged_ = judgement::none;
  linear_order order_;
  std::vector<std::uint64_t> metrics_of_graph_;
  std::vector<std::uint64_t> metrics_of_order_;
};

}  // namespace kvrace::detail

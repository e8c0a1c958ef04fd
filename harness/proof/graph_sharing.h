// An exploration shared by several processes, with the outcome of one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proof/graph_parts.h"
#include "proof/graph_walk.h"
#include "proof/graph_workers.h"

namespace kvrace::detail {

class graph_sharing {
 public:
  // `nothing` is an empty account. The items are explored in processes that inherit `walk`.
  graph_sharing(unsigned jobs, graph_walk& walk, graph_account nothing, const std::vector<std::string>& items);

  enum class end : std::uint8_t { explored, event, cut };
  // Goes on until `go_on`, asked ten times a second and more often, is false. What is found is added to `sum` as far as it
  // counts.
  end run(const std::function<bool()>& go_on, graph_account& sum);
  // event: the graph from which the execution follows that one process would have met first. `sum` has it already.
  [[nodiscard]] const std::string& executed() const { return executed_; }

  // Between calls of `go_on` as well: the whole exploration so far, and what is left of it in order.
  [[nodiscard]] graph_account total(const graph_account& sum) const { return parts_.total(sum); }
  [[nodiscard]] std::vector<std::string> items() const { return parts_.items(); }
  [[nodiscard]] std::uint64_t executions() const { return parts_.executions(); }
  // Every worker reports soon what it has done.
  void ask_all();

 private:
  struct worker {
    std::optional<graph_parts::handle> at;
    bool asked = false;
    bool retired = false;  // it has met an event, and knows what the others do not
    bool gave = true;      // when it was last asked
  };
  void work(const graph_workers::line& line);
  void explore(const graph_workers::line& line, const std::string& item, bool* go_on);
  void hand_out();
  void ask_for_parts();
  void hear(unsigned from);
  void collect();

  graph_walk& walk_;
  graph_account nothing_;
  graph_parts parts_;
  graph_workers workers_;
  std::vector<worker> state_;
  std::string executed_;
};

}  // namespace kvrace::detail

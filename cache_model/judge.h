// States the violations of a run, for every oracle of the cache model.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include <kvrace/cache/simulation.h>
#include <kvrace/run.h>

namespace kvrace::cache {

// In the order of oracles().
enum class oracle_id : std::uint8_t {
  ghost_entry,
  pollution,
  stale_handle,
  publication,
  reference_balance,
  capacity,
  stale,
  namespace_contract,
  exactly_once,
  duplicate_load,
  correlation,
  promise,
  lost_update,
  liveness,
  isolation,
  starvation,
  sanitation,
  rollback,
  linearizability,
  count,
};

class judge {
 public:
  judge(run& run, const std::vector<std::string>& oracles_off);

  [[nodiscard]] bool failed() const { return failed_; }
  // Nothing is judged in this run, see run::along_graph.
  [[nodiscard]] bool silent() const { return silent_; }
  [[nodiscard]] bool judges_anything() const { return std::find(on_.begin(), on_.end(), true) != on_.end(); }
  [[nodiscard]] bool judges(oracle_id oracle) const { return on_[static_cast<std::size_t>(oracle)]; }

  // The first violation of a run is the one reported. `subject` and `message` return texts, and are called only while recording;
  // `kind` is what all subjects of this kind begin with.
  template <class Subject, class Message>
  void fail(oracle_id oracle, std::string_view kind, Subject subject, Message message, std::source_location where) {
    if (failed_ || silent_ || !judges(oracle)) return;
    failed_ = true;
    const oracle_description& what = oracles()[static_cast<std::size_t>(oracle)];
    if (run::recording()) [[unlikely]]
      run_.fail({.oracle = what.name, .subject = subject(), .message = message(), .ends_run = false}, where);
    else
      run_.fail({.oracle = what.name, .subject = kind, .message = what.summary, .ends_run = false}, where);
  }

 private:
  run& run_;
  std::array<bool, static_cast<std::size_t>(oracle_id::count)> on_{};
  bool silent_ = run::along_graph();
  bool failed_ = false;
};

}  // namespace kvrace::cache

// The happens-before prefix of the execution in progress as a 128-bit key, kept step by step.
//
// Per task a hash over its events: (operation, object, what it reads from or follows). For a write that includes its
// modification-order predecessor, for a lock the release before it, for an exclusive lock also the readers since. Two prefixes
// with equal keys are linearisations of one partial order, so the program is in the same state after both.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <kvrace/detail/core.h>

#include "proof/state_key.h"
#include "runtime/execution.h"

namespace kvrace::detail {

class happens_before {
 public:
  void begin_run(const execution_view& view);
  // Takes in tasks that have appeared since the last step. To be called before anything else at each step.
  void absorb_new_tasks();

  [[nodiscard]] state_key key() const { return key_; }
  // The key after `slot` has executed what it has announced, and `outcome` if that has several.
  [[nodiscard]] state_key successor(unsigned slot, std::uint64_t outcome) const;
  // How many outcomes the announced operation of `slot` has; 1 if there is nothing to choose.
  [[nodiscard]] std::uint64_t outcomes(unsigned slot) const;

  void execute(unsigned slot);                            // what it has announced
  void outcome(unsigned slot, std::uint64_t outcome);     // of the operation it has just executed

 private:
  struct task_events {
    state_key hash;
    std::uint64_t count = 0;
  };
  // What the next operation on an object follows.
  struct object_events {
    std::uint32_t id = 0;
    std::uint64_t run = 0;          // entries of former runs are empty
    std::uint64_t last_write = 0;   // event of the last write, release or exclusive operation; 0 for none
    std::uint64_t readers = 0;      // commutative hash over the shared operations since
  };
  enum class effect : std::uint8_t { none, reads, writes, shares };

  [[nodiscard]] state_key hash_after(unsigned slot, effect* what) const;
  [[nodiscard]] static state_key contribution(unsigned slot, const task_events& task);
  [[nodiscard]] object_events lookup(std::uint32_t id) const;
  object_events& entry(std::uint32_t id);
  void replace(unsigned slot, const state_key& hash, std::uint64_t count);

  const execution_view* view_ = nullptr;
  state_key key_;
  unsigned known_ = 0;  // slots taken in
  std::array<task_events, tasks_max> tasks_;
  std::vector<object_events> objects_ = std::vector<object_events>(256);
  std::uint64_t objects_used_ = 0;
  std::uint64_t run_ = 0;
};

}  // namespace kvrace::detail

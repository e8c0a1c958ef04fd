#include "scenarios/loader.h"

namespace kvrace::scenarios {

const std::vector<oracle_name>& all_oracles() {
  static const std::vector<oracle_name> oracles = [] {
    std::vector<oracle_name> names;
    for (const cache::oracle_description& each : cache::oracles())
      names.push_back({std::string(each.name), std::string(each.summary) + " (" + std::string(each.source) + ")", true});
    // What the engine detects in any program.
    for (const auto& [name, summary] : std::initializer_list<std::pair<const char*, const char*>>{
             {"data_race", "two accesses to plain data, one of them a write, neither happens before the other (O13)"},
             {"deadlock", "every task that has not ended waits for another (O7)"},
             {"step_bound", "a run took more steps than limits/steps_max (O7)"},
             {"call_bound", "a call took more steps of its own than limits/call_steps_max (O7)"},
             {"lock_order", "locks are taken in orders that contradict each other; only where limits/lock_order is set (O7)"},
             {"lock_misuse", "a lock was used against its rules"},
             {"atomic_misuse", "an atomic operation was asked for a memory order it cannot have"},
             {"thread_misuse", "a thread was used against its rules"},
             {"semaphore_misuse", "a semaphore was released beyond its maximum, or destroyed while tasks wait for it"},
             {"latch_misuse", "a latch was counted down below zero"},
             {"barrier_misuse", "a barrier saw more arrivals than it expects"},
             {"task_leak", "the body ended before its tasks"},
             {"use_after_destroy", "an object was used after its destruction (O3)"},
             {"double_destroy", "an object was destroyed twice (O12)"},
             {"leak", "an object outlived the run (O5)"},
             {"stack_overflow", "a task used up its stack"},
             {"escaping_exception", "an exception left a task, the body or an audit"},
             {"harness_misuse", "the program asked the harness for something that it cannot give"},
             {"requirement", "a requirement the program states itself did not hold"},
         })
      names.push_back({name, summary, false});
    return names;
  }();
  return oracles;
}

}  // namespace kvrace::scenarios

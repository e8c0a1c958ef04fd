// Seeded random programs of a few operations, run by the engine here and by an interpreter of its own in
// small_program_interpreter.h. Included by tests only.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <kvrace/kvrace.h>

namespace kvrace::testing {

enum class action : std::uint8_t {
  load,             // of atomic `object`
  store,            // `value`
  add,              // `value`
  exchange_if,      // compare_exchange_strong from `expected` to `value`
  fence,
  lock,             // the mutex; unless this task holds it
  try_lock,
  unlock,           // if this task holds it
  lock_shared,      // the shared_mutex; unless this task holds it in any way
  try_lock_shared,
  lock_exclusive,
  try_lock_exclusive,
  release,          // the shared_mutex, whichever way this task holds it
  wait,             // on the condition variable, if this task holds the mutex
  wait_for,
  notify_one,
  notify_all,
  choose,           // one of `value` outcomes
  yield,
  read_plain,       // plain datum `object`: race-checked, no step
  write_plain,
  acquire,          // the semaphore, which begins with one permit. These are not for the interpreter
  try_acquire,
  permit,           // gives the semaphore one more
  await,            // until atomic `object` is not `expected`
  notify_waiting,   // every task that awaits atomic `object`
  call_once,        // of one flag: adds `value` to atomic `object`
  await_flag,       // under the mutex, unless held: waits once in the condition variable if the flag is down
  raise_flag,       // under the mutex, unless held; then notifies all
};

struct statement {
  action what = action::yield;
  unsigned object = 0;
  int value = 0;
  int expected = 0;
  std::memory_order order = std::memory_order_seq_cst;
};

// What is held in the end is released: first the mutex, then the shared_mutex.
struct small_program {
  std::vector<std::vector<statement>> tasks;
};
[[nodiscard]] std::string to_string(const small_program&);

// What random programs are made of.
struct vocabulary {
  unsigned tasks_max = 3;  // at least 2
  unsigned statements_max = 4;  // each
  bool atomics = true;
  bool orders = false;  // all memory orders, fences
  bool locks = false;
  bool shared_tries = true;  // try_lock and try_lock_shared of the shared_mutex among the locks
  bool condition = false;  // needs locks
  bool choices = false;
  bool yields = false;
  bool plain = false;
  bool gates = false;  // semaphore, waiting for atomics, call_once
  bool flag = false;   // a flag under a mutex, with a condition variable
};
[[nodiscard]] small_program random_program(const vocabulary&, std::uint64_t seed);

// Everything a run observed: per task the values it read and the outcomes it met, then the final memory.
using observation = std::string;

// Runs the program's tasks in `run`. To be called from the body.
observation execute(const small_program& program, run& run);

}  // namespace kvrace::testing

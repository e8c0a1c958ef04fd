// What the primitives call while a program is executed along an execution graph (engine_state::graph is set). Values travel as
// words.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <kvrace/detail/core.h>

namespace kvrace::detail {

struct atomic_state;
struct lock_state;
struct shared_lock_state;
struct gate;

// Where an atomic keeps its value outside of the concurrent part of a program: what its constructor gave it, and what was written
// last once every task has ended.
struct graph_storage {
  void* value;
  std::size_t bytes;
};

// What a read-modify-write turns a value into.
using graph_change = std::uint64_t (*)(std::uint64_t old, const void* context);

std::uint64_t graph_load(atomic_state& what, graph_storage storage, std::memory_order order, site where);
void graph_store(atomic_state& what, graph_storage storage, std::uint64_t value, std::memory_order order, site where);
std::uint64_t graph_update(atomic_state& what, graph_storage storage, graph_change change, const void* context,
                           std::memory_order order, site where);
// Whether it was exchanged; `expected` becomes the value read.
bool graph_exchange_if(atomic_state& what, graph_storage storage, std::uint64_t& expected, std::uint64_t desired,
                       std::memory_order success, std::memory_order failure, site where);
// Brings the storage up to date; only while no other task is left.
void graph_settle(const atomic_state& what, graph_storage storage);
void graph_fence(std::memory_order order, site where);
void graph_destroyed(const object& what);

void graph_lock(lock_state& lock, site where);
bool graph_try_lock(lock_state& lock, site where);
void graph_unlock(lock_state& lock, site where);
void graph_lock(shared_lock_state& lock, bool exclusive, site where);
bool graph_try_lock(shared_lock_state& lock, bool exclusive, site where);
void graph_unlock(shared_lock_state& lock, bool exclusive, site where);

// What an operation on a gate does when it meets a value: it waits for another one, fails and orders nothing, reads, or reads and
// writes `next`.
enum class gate_answer : std::uint8_t { waits, fails, reads, writes };
using gate_step = gate_answer (*)(std::uint64_t old, std::uint64_t* next, const void* context);
// Returns the value read once the task may go on. `inside`: what the task does to end its last step.
std::uint64_t graph_gate(gate& what, operation_kind kind, std::memory_order order, gate_step step, const void* context,
                         site where, bool inside);
// As std::atomic::wait; returns the value that ended it.
std::uint64_t graph_await(atomic_state& what, graph_storage storage, std::uint64_t old, std::memory_order order, site where);
void graph_notify(atomic_state& what, graph_storage storage, bool all, site where);

bool graph_wait(wait_queue& queue, lock_state& lock, bool timed, site where);  // false on a timeout
void graph_notify(wait_queue& queue, bool all, site where);
void graph_yield();

// Ends the exploration: the program uses something that execution graphs do not model.
[[noreturn]] void graph_refuse(const char* what);

template <class T>
[[nodiscard]] inline std::uint64_t graph_word(const T& value) {
  std::uint64_t word = 0;
  if constexpr (sizeof(T) <= sizeof word)
    std::memcpy(&word, &value, sizeof(T));
  else
    graph_refuse("an atomic of more than 8 bytes");
  return word;
}
template <class T>
[[nodiscard]] inline T graph_value(std::uint64_t word) {
  std::array<std::byte, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &word, sizeof(T) < sizeof word ? sizeof(T) : sizeof word);
  return std::bit_cast<T>(bytes);
}

}  // namespace kvrace::detail

// Objects with checked lifetimes, and the allocator for containers under test.
#pragma once

#include <cstddef>
#include <new>
#include <source_location>
#include <type_traits>
#include <utility>

#include <kvrace/detail/core.h>

namespace kvrace {

namespace detail {
// Sits in front of every made object. The memory of a destroyed one is handed out again only after 1 MiB of others has been
// destroyed, so that a late use meets the dead object and is seen.
struct alignas(std::max_align_t) lifetime : object {
  bool alive = true;
  site made_at;
  site destroyed_at;
  void* block = nullptr;
  std::size_t block_bytes = 0;
  clock_value* uses = nullptr;   // along an execution graph: by slot, the clock of the last use; null before the first
  lifetime* previous = nullptr;  // among the living ones
  lifetime* next = nullptr;      // among the living ones, then among the dead in order of destruction

  explicit lifetime(site where) : object(object_type::made), made_at(where) {}
};

// May be memory that the current task has given back: fault_budget::address_reuses.
[[nodiscard]] inline void* memory_for(std::size_t bytes, std::size_t alignment) {
  if (may_happen(fault::address_reuse)) [[unlikely]]
    if (void* again = arena_reuse(bytes, alignment)) return again;
  return arena_allocate(bytes, alignment);
}
void* lifetime_begin(std::size_t bytes, std::size_t alignment, site where);
void lifetime_end(void* object, site where);         // a second end is a violation of oracle "double_destroy"
void lifetime_over(const void* object, std::size_t bytes);  // after its destructor, where instrumentation::checks_memory
void require_alive(const void* object, site where);  // oracle "use_after_destroy"

// An object with a checked lifetime, and its end. One whose constructor throws was never made.
template <class T, class... Arguments>
[[nodiscard]] T* make_object(Arguments&&... arguments) {
  if (happens(fault::allocation_failure, site{})) [[unlikely]]
    throw std::bad_alloc();
  void* memory = lifetime_begin(sizeof(T), alignof(T), site{});
  try {
    return new (memory) T(std::forward<Arguments>(arguments)...);
  } catch (...) {
    lifetime_end(memory, site{});
    throw;
  }
}
template <class T>
void destroy_object(T* object, site where) {
  lifetime_end(object, where);
  object->~T();
  if constexpr (instrumentation::checks_memory) lifetime_over(object, sizeof(T));
}
}  // namespace detail

// For the containers of the code under test: memory of the run, recycled within it, dropped with it.
template <class T>
struct allocator {
  using value_type = T;
  allocator() noexcept = default;
  template <class U>
  allocator(const allocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor): as std
  [[nodiscard]] T* allocate(std::size_t count) {
    if (detail::happens(detail::fault::allocation_failure, detail::site{})) [[unlikely]]
      throw std::bad_alloc();
    return static_cast<T*>(detail::memory_for(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept { detail::arena_deallocate(memory, count * sizeof(T)); }
  template <class U>
  bool operator==(const allocator<U>&) const noexcept {
    return true;
  }
};

}  // namespace kvrace

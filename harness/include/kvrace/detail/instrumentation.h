// What sanitizers are told of a run. Empty in a build without.
//
// ThreadSanitizer (KVRACE_TSAN; in CMake KVRACE_SANITIZE=thread) must see the accesses of the program under test and the order
// that the program's own synchronisation gives them, and nothing of the engine. So the engine is compiled without
// instrumentation, the functions of these headers that touch its state are on the ignore list (race_job/ignorelist.txt), and
// whatever follows is told by hand. An edge too many only hides a race; an edge too few invents one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KVRACE_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define KVRACE_ASAN 1
#endif

#if defined(KVRACE_TSAN)
#include <sanitizer/tsan_interface_atomic.h>

extern "C" {
void __tsan_acquire(void*);
void __tsan_release(void*);
void __tsan_read1(void*);
void __tsan_read4(void*);
void __tsan_read8(void*);
void __tsan_write1(void*);
void __tsan_write4(void*);
void __tsan_write8(void*);
}
#endif

namespace kvrace::detail::instrumentation {

#if defined(KVRACE_TSAN)

inline constexpr bool on = true;

// The caller's own access, told before the engine judges it, so that both see the race that ends the run. Inlined: the report
// names the line that called. A value is accessed as a whole, so its first word stands for it.
template <class T>
[[gnu::always_inline]] inline void read(const T* at) {
  auto* address = const_cast<T*>(at);
  if constexpr (sizeof(T) >= 8 && alignof(T) >= 8)
    __tsan_read8(address);
  else if constexpr (sizeof(T) >= 4 && alignof(T) >= 4)
    __tsan_read4(address);
  else
    __tsan_read1(address);
}
template <class T>
[[gnu::always_inline]] inline void write(const T* at) {
  auto* address = const_cast<T*>(at);
  if constexpr (sizeof(T) >= 8 && alignof(T) >= 8)
    __tsan_write8(address);
  else if constexpr (sizeof(T) >= 4 && alignof(T) >= 4)
    __tsan_write4(address);
  else
    __tsan_write1(address);
}

// Happens-before through an address: what precedes a release precedes what follows a later acquire.
inline void acquire(const void* address) { __tsan_acquire(const_cast<void*>(address)); }
inline void release(const void* address) { __tsan_release(const_cast<void*>(address)); }

// Fences, which ThreadSanitizer does not know. A relaxed read may be followed by an acquire fence, a relaxed write may be
// preceded by a release fence.
void relaxed_read(const void* address);
void relaxed_write(const void* address);
void fence(bool acquires, bool releases);

// ThreadSanitizer looks away from an address once a race was reported there. Whoever receives a report calls this: the next run
// gets fresh memory.
void renew_memory();

// While one lives, the current task works for the engine or for a judge: nothing it touches counts, nor does its
// synchronisation. Tasks may be switched meanwhile; each has its own.
void begin_aside();
void end_aside();
class aside {
 public:
  aside() { begin_aside(); }
  aside(const aside&) = delete;
  aside& operator=(const aside&) = delete;
  ~aside() { end_aside(); }
};

// Atomic accesses to `value`, whose bytes the caller has read or is about to read, or has just written. Types that no lock-free
// instruction fits are synchronised without being checked against plain accesses.
template <class T>
inline constexpr bool is_machine_word = sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8;
template <class T>
inline constexpr std::size_t atomic_alignment =
    is_machine_word<T> ? (sizeof(T) > alignof(T) ? sizeof(T) : alignof(T)) : alignof(T);

template <class T, class Access>
void with_word(const T& value, Access access) {
  if constexpr (sizeof(T) == 1)
    access(reinterpret_cast<volatile __tsan_atomic8*>(const_cast<T*>(&value)));
  else if constexpr (sizeof(T) == 2)
    access(reinterpret_cast<volatile __tsan_atomic16*>(const_cast<T*>(&value)));
  else if constexpr (sizeof(T) == 4)
    access(reinterpret_cast<volatile __tsan_atomic32*>(const_cast<T*>(&value)));
  else if constexpr (sizeof(T) == 8)
    access(reinterpret_cast<volatile __tsan_atomic64*>(const_cast<T*>(&value)));
}
inline void tsan_load(volatile __tsan_atomic8* at, __tsan_memory_order order) { (void)__tsan_atomic8_load(at, order); }
inline void tsan_load(volatile __tsan_atomic16* at, __tsan_memory_order order) { (void)__tsan_atomic16_load(at, order); }
inline void tsan_load(volatile __tsan_atomic32* at, __tsan_memory_order order) { (void)__tsan_atomic32_load(at, order); }
inline void tsan_load(volatile __tsan_atomic64* at, __tsan_memory_order order) { (void)__tsan_atomic64_load(at, order); }
inline void tsan_store(volatile __tsan_atomic8* at, __tsan_memory_order order) { __tsan_atomic8_store(at, *at, order); }
inline void tsan_store(volatile __tsan_atomic16* at, __tsan_memory_order order) { __tsan_atomic16_store(at, *at, order); }
inline void tsan_store(volatile __tsan_atomic32* at, __tsan_memory_order order) { __tsan_atomic32_store(at, *at, order); }
inline void tsan_store(volatile __tsan_atomic64* at, __tsan_memory_order order) { __tsan_atomic64_store(at, *at, order); }
inline void tsan_update(volatile __tsan_atomic8* at, __tsan_memory_order order) { (void)__tsan_atomic8_exchange(at, *at, order); }
inline void tsan_update(volatile __tsan_atomic16* at, __tsan_memory_order order) {
  (void)__tsan_atomic16_exchange(at, *at, order);
}
inline void tsan_update(volatile __tsan_atomic32* at, __tsan_memory_order order) {
  (void)__tsan_atomic32_exchange(at, *at, order);
}
inline void tsan_update(volatile __tsan_atomic64* at, __tsan_memory_order order) {
  (void)__tsan_atomic64_exchange(at, *at, order);
}

[[nodiscard]] inline constexpr bool order_acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
[[nodiscard]] inline constexpr bool order_releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

template <class T>
void atomic_load(const T& value, std::memory_order order) {
  if constexpr (is_machine_word<T>)
    with_word(value, [order](auto* at) { tsan_load(at, static_cast<__tsan_memory_order>(order)); });
  else if (order_acquires(order))
    acquire(&value);
  if (!order_acquires(order)) relaxed_read(&value);
}
template <class T>
void atomic_store(const T& value, std::memory_order order) {
  if constexpr (is_machine_word<T>)
    with_word(value, [order](auto* at) { tsan_store(at, static_cast<__tsan_memory_order>(order)); });
  else if (order_releases(order))
    release(&value);
  if (!order_releases(order)) relaxed_write(&value);
}
template <class T>
void atomic_update(const T& value, std::memory_order order) {
  if constexpr (is_machine_word<T>) {
    with_word(value, [order](auto* at) { tsan_update(at, static_cast<__tsan_memory_order>(order)); });
  } else {
    if (order_acquires(order)) acquire(&value);
    if (order_releases(order)) release(&value);
  }
  if (!order_acquires(order)) relaxed_read(&value);
  if (!order_releases(order)) relaxed_write(&value);
}

#else

inline constexpr bool on = false;

inline void read(const void*) {}
inline void write(const void*) {}
inline void acquire(const void*) {}
inline void release(const void*) {}
inline void fence(bool, bool) {}
class aside {
 public:
  aside() {}  // NOLINT(modernize-use-equals-default): an unused variable otherwise
};
template <class T>
inline constexpr std::size_t atomic_alignment = alignof(T);
template <class T>
void atomic_load(const T&, std::memory_order) {}
template <class T>
void atomic_store(const T&, std::memory_order) {}
template <class T>
void atomic_update(const T&, std::memory_order) {}

#endif

// Plain values that ThreadSanitizer has been told of already, so that it need not see the access once more.
template <class T>
T copy(const T& value) {
  return value;
}
template <class T>
void assign(T& to, T&& value) {
  to = std::forward<T>(value);
}

// AddressSanitizer is told what memory of a run is in use. With watch_memory, objects from Sync::make are off limits once they
// are destroyed, so that it sees what the engine finds there; the engine looks at them too, and every such look is reported.
#if defined(KVRACE_ASAN)
inline constexpr bool checks_memory = true;
#else
inline constexpr bool checks_memory = false;
#endif
inline bool watch_memory = false;

}  // namespace kvrace::detail::instrumentation

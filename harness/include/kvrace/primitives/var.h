// var<T>: plain data whose races are found. shadow: stands for plain data that cannot be a var, such as a container.
//
// Accesses are checked against vector clocks (FastTrack: Flanagan, Freund, PLDI 2009) and are no decision points: data without
// races needs none.
#pragma once

#include <type_traits>
#include <utility>

#include <kvrace/detail/core.h>

namespace kvrace {

namespace detail {

// Last accesses of one plain datum. While its reads are ordered one epoch is enough; else they go to a table.
struct access_history : object {
  clock_value write_clock = 0;
  clock_value read_clock = 0;
  std::uint8_t write_slot = 0;
  std::uint8_t read_slot = 0;
  std::uint32_t reads = 0;  // index of the table of concurrent reads, 0 for none
  site write_site;
  site read_site;

  access_history() : object(object_type::var) {
    if (state.current == nullptr) return;
    write_slot = static_cast<std::uint8_t>(state.slot);
    write_clock = state.current->clock.at[state.slot];
  }
};
void race_on_read(access_history& data, site where);
void race_on_write(access_history& data, site where);
void read_concurrently(access_history& data, site where);
void check_reads(access_history& data, site where);  // before a write, if data.reads != 0
void record_access(const access_history& data, bool write, site where);

inline void check_read(access_history& data, site where) {
  const engine_state& s = state;
  require_usable(data, where);
  const clock_value* now = s.current->clock.at;
  if (data.write_clock > now[data.write_slot]) [[unlikely]]
    race_on_read(data, where);
  if (data.read_slot == s.slot || data.read_clock <= now[data.read_slot]) {
    data.read_slot = static_cast<std::uint8_t>(s.slot);
    data.read_clock = now[s.slot];
    data.read_site = where;
    if (data.reads != 0) [[unlikely]]
      read_concurrently(data, where);
  } else {
    read_concurrently(data, where);
  }
  if (s.recording) [[unlikely]]
    record_access(data, false, where);
}
inline void check_write(access_history& data, site where) {
  const engine_state& s = state;
  require_usable(data, where);
  const clock_value* now = s.current->clock.at;
  if (data.write_clock > now[data.write_slot] || data.read_clock > now[data.read_slot]) [[unlikely]]
    race_on_write(data, where);
  if (data.reads != 0) [[unlikely]]
    check_reads(data, where);
  data.write_slot = static_cast<std::uint8_t>(s.slot);
  data.write_clock = now[s.slot];
  data.write_site = where;
  data.read_clock = 0;
  if (s.recording) [[unlikely]]
    record_access(data, true, where);
}
// Destruction conflicts with every access, as a write does.
inline void check_destroy(access_history& data) {
  if (data.generation == state.generation) {
    const clock_value* now = state.current->clock.at;
    if (data.write_clock > now[data.write_slot] || data.read_clock > now[data.read_slot]) [[unlikely]]
      race_on_write(data, site::current());
    if (data.reads != 0) [[unlikely]]
      check_reads(data, site::current());
  }
  mark_destroyed(data);
}

}  // namespace detail

// A value of T whose every read and write is checked for data races. Reads through load() name their line in a report; a read
// by conversion names the object only.
template <class T>
class var {
 public:
  var() = default;
  explicit var(T value) : value_(std::move(value)) {}
  var(const var&) = delete;
  var& operator=(const var& other) {
    if (this != &other) store(other.load(detail::site{}), detail::site{});
    return *this;
  }
  ~var() {
    detail::instrumentation::write(&value_);
    detail::check_destroy(history_);
  }

  [[nodiscard]] T load(detail::site where = detail::site::current()) const {
    detail::instrumentation::read(&value_);
    detail::check_read(history_, where);
    return detail::instrumentation::copy(value_);
  }
  void store(T value, detail::site where = detail::site::current()) {
    detail::instrumentation::write(&value_);
    detail::check_write(history_, where);
    detail::instrumentation::assign(value_, std::move(value));
  }

  operator T() const { return load(detail::site{}); }  // NOLINT(google-explicit-constructor): shaped as a T
  // What is assigned, with the line of the assignment.
  struct assigned {
    T value;
    detail::site where;
    template <class U>
      requires std::is_convertible_v<U, T>
    assigned(U&& from, detail::site at = detail::site::current())  // NOLINT(google-explicit-constructor)
        : value(std::forward<U>(from)), where(at) {}
  };
  var& operator=(assigned from) {
    store(std::move(from.value), from.where);
    return *this;
  }
  var& operator+=(assigned amount) {
    store(static_cast<T>(load(amount.where) + amount.value), amount.where);
    return *this;
  }
  var& operator-=(assigned amount) {
    store(static_cast<T>(load(amount.where) - amount.value), amount.where);
    return *this;
  }
  var& operator++() { return *this += assigned(T{1}, detail::site{}); }
  var& operator--() { return *this -= assigned(T{1}, detail::site{}); }

 private:
  friend struct sync;
  mutable detail::access_history history_;
  T value_{};
};

// The race check of a var without its value.
class shadow {
 public:
  shadow() { detail::instrumentation::write(reinterpret_cast<const char*>(&history_)); }
  shadow(const shadow&) = delete;
  shadow& operator=(const shadow&) = delete;
  ~shadow() {
    detail::instrumentation::write(reinterpret_cast<const char*>(&history_));
    detail::check_destroy(history_);
  }

  void read(detail::site where = detail::site::current()) const {
    detail::instrumentation::read(reinterpret_cast<const char*>(&history_));
    detail::check_read(history_, where);
  }
  void write(detail::site where = detail::site::current()) {
    detail::instrumentation::write(reinterpret_cast<const char*>(&history_));
    detail::check_write(history_, where);
  }

 private:
  friend struct sync;
  mutable detail::access_history history_;
};

}  // namespace kvrace

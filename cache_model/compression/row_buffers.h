// Buffers of one block of compressed rows each, which requests take and give back. A buffer is not cleared in between: who takes
// it finds the rows of whoever had it before, unless nobody took it for as long as it takes to be scrubbed.
//
// They are taken in the order in which they were given back, so that each lies idle for as long as possible.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "cache_model/fixed_array.h"

namespace kvrace::cache {

// Stands for the K and V values of a token. A zero row is no token's: it adds nothing to what is decoded.
struct compressed_row {
  std::uint64_t digest = 0;    // of the token's full key
  std::uint32_t position = 0;  // in the writer's prompt
  std::uint32_t request = 0;   // the writer, from 1
  [[nodiscard]] bool zero() const { return request == 0; }
  friend bool operator==(const compressed_row&, const compressed_row&) = default;
};

template <class Sync>
class row_buffers {
 public:
  // `rows` in each of them.
  row_buffers(std::uint32_t count, std::uint32_t rows, std::chrono::nanoseconds scrub)
      : rows_(rows), scrub_(scrub), buffers_(count), free_(count), free_count_(count) {
    Sync::name(mutex_, "buffers");
    for (std::uint32_t id = 0; id < count; ++id) {
      Sync::name(buffers_[id].guard, "buffer ", id);
      free_[id] = id;
    }
  }
  row_buffers(const row_buffers&) = delete;
  row_buffers& operator=(const row_buffers&) = delete;
  ~row_buffers() {
    for (buffer& each : buffers_)
      if (each.rows != nullptr) memory().deallocate(each.rows, rows_);
  }

  [[nodiscard]] std::uint32_t rows() const { return rows_; }

  // Flawed: `count` buffers that others may be given too.
  bool borrow(std::uint32_t* taken, std::size_t count) {
    const guard lock(mutex_);
    if (count > buffers_.size()) return false;
    for (std::uint32_t i = 0; i < count; ++i) prepare(buffers_[taken[i] = i]);
    return true;
  }
  // Takes `count` buffers, or none if there are not so many.
  bool take(std::uint32_t* taken, std::size_t count) {
    const guard lock(mutex_);
    if (count > free_count_) return false;
    for (std::size_t i = 0; i < count; ++i) {
      taken[i] = free_[next_];
      next_ = following(next_);
      prepare(buffers_[taken[i]]);
    }
    free_count_ -= count;
    return true;
  }
  void give_back(const std::uint32_t* taken, std::size_t count) {
    const guard lock(mutex_);
    for (std::size_t i = 0; i < count; ++i) {
      if (scrub_.count() != 0) buffers_[taken[i]].given_back = now();
      free_[(next_ + free_count_++) % free_.size()] = taken[i];
    }
  }

  // Of a buffer that the caller has taken: rows() rows, to be written or to be read.
  [[nodiscard]] compressed_row* write(std::uint32_t id) {
    buffers_[id].guard.write();
    return buffers_[id].rows;
  }
  [[nodiscard]] const compressed_row* read(std::uint32_t id) const {
    buffers_[id].guard.read();
    return buffers_[id].rows;
  }

 private:
  using guard = typename Sync::template lock_guard<typename Sync::mutex>;
  struct buffer {
    typename Sync::shadow guard;  // over the rows
    compressed_row* rows = nullptr;  // made when it is first taken
    std::chrono::nanoseconds given_back = {};
  };

  static typename Sync::template allocator<compressed_row> memory() { return {}; }
  static std::chrono::nanoseconds now() { return Sync::clock::now().time_since_epoch(); }
  [[nodiscard]] std::size_t following(std::size_t place) const { return place + 1 == free_.size() ? 0 : place + 1; }

  void prepare(buffer& taken) {
    const bool made = taken.rows == nullptr;
    if (made) taken.rows = memory().allocate(rows_);
    if (!made && (scrub_.count() == 0 || now() - taken.given_back < scrub_)) return;
    taken.guard.write();
    std::fill_n(taken.rows, rows_, compressed_row{});
  }

  std::uint32_t rows_;
  std::chrono::nanoseconds scrub_;
  typename Sync::mutex mutex_;
  fixed_array<Sync, buffer> buffers_;
  fixed_array<Sync, std::uint32_t> free_;  // a ring: free_count_ of them from next_ on
  std::size_t next_ = 0;
  std::size_t free_count_;
};

}  // namespace kvrace::cache

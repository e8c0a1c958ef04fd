// The elements of one call in memory that the next call uses again: a vector that neither keeps nor clears what was there. The
// first few need no memory of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace kvrace::cache {

template <class T, class Allocator>
class reused_array {
  static_assert(std::is_trivially_copyable_v<T>, "elements are made by assignment and never destroyed");

 public:
  reused_array() = default;
  reused_array(const reused_array&) = delete;
  reused_array& operator=(const reused_array&) = delete;
  ~reused_array() { give_back(); }

  // The values are whatever was there.
  void resize(std::size_t size) {
    if (size > capacity_) grow(size);
    size_ = size;
  }
  void assign(std::size_t size, const T& value) {
    resize(size);
    std::fill_n(data_, size, value);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  static constexpr std::size_t bytes_inside = 64;
  static constexpr std::size_t capacity_inside = sizeof(T) < bytes_inside ? bytes_inside / sizeof(T) : 1;

  void give_back() {
    if (capacity_ != capacity_inside) Allocator().deallocate(data_, capacity_);
  }
  [[gnu::noinline]] void grow(std::size_t size) {
    give_back();
    capacity_ = std::max(size, capacity_ * 2);
    data_ = Allocator().allocate(capacity_);
  }

  alignas(T) std::byte inside_[capacity_inside * sizeof(T)];
  T* data_ = reinterpret_cast<T*>(inside_);
  std::size_t size_ = 0;
  std::size_t capacity_ = capacity_inside;
};

}  // namespace kvrace::cache

// An array whose size is known when it is made, for elements that cannot be moved.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace kvrace::cache {

template <class Sync, class T>
class fixed_array {
 public:
  explicit fixed_array(std::size_t size) : data_(allocator().allocate(size)), size_(size) {
    for (std::size_t i = 0; i < size; ++i) std::construct_at(data_ + i);
  }
  // Element i is what make(i) returns.
  template <class Make>
  fixed_array(std::size_t size, Make make) : data_(allocator().allocate(size)), size_(size) {
    for (std::size_t i = 0; i < size; ++i) new (data_ + i) T(make(i));
  }
  fixed_array(const fixed_array&) = delete;
  fixed_array& operator=(const fixed_array&) = delete;
  ~fixed_array() {
    for (std::size_t i = 0; i < size_; ++i) std::destroy_at(data_ + i);
    allocator().deallocate(data_, size_);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  using allocator = typename Sync::template allocator<T>;
  T* data_;
  std::size_t size_;
};

}  // namespace kvrace::cache

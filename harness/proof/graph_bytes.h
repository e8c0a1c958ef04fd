// Plain values as bytes, for processes that share an exploration and for checkpoints of it: same build, same machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kvrace::detail {

class byte_writer {
 public:
  template <class T>
  void put(const T& value) {
    put_all(&value, 1);
  }
  template <class T>
  void put_all(const T* values, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count != 0) bytes_.append(reinterpret_cast<const char*>(values), count * sizeof(T));
  }
  template <class T>
  void put_list(const std::vector<T>& values) {
    put<std::uint64_t>(values.size());
    put_all(values.data(), values.size());
  }
  void put_text(std::string_view text) {
    put<std::uint64_t>(text.size());
    put_all(text.data(), text.size());
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Throws std::invalid_argument where the bytes end too soon.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  [[nodiscard]] T get() {
    T value{};
    get_all(&value, 1);
    return value;
  }
  template <class T>
  void get_all(T* values, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::string_view from = get_bytes(count, sizeof(T));
    if (count != 0) std::memcpy(values, from.data(), from.size());
  }
  template <class T>
  [[nodiscard]] std::vector<T> get_list() {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() / sizeof(T)) fail();
    std::vector<T> values(count);
    get_all(values.data(), count);
    return values;
  }
  [[nodiscard]] std::string_view get_text() { return get_bytes(get<std::uint64_t>(), 1); }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  [[noreturn]] static void fail() { throw std::invalid_argument("the bytes end too soon"); }
  std::string_view get_bytes(std::uint64_t count, std::size_t size) {
    if (count > bytes_.size() / size) fail();
    const std::string_view taken = bytes_.substr(0, count * size);
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace kvrace::detail

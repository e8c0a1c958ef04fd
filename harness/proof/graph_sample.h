// Whether an exploration meets a graph twice, in memory that does not grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kvrace::detail {

class byte_reader;
class byte_writer;

// Keeps the keys of graphs. If there are more than `most`, it keeps those that end in a zero bit, then in two, and so on: a
// sample that does not depend on the order in which they come, and that has both of two equal keys or neither.
class graph_sample {
 public:
  explicit graph_sample(std::size_t most) : most_(most), slots_(1U << 6U) {}

  void insert(std::uint64_t key) {
    if ((key & ignored_) == 0) insert_kept(key | (std::uint64_t{key == 0} << 63U));
  }
  // As if the keys of both had come here.
  void add(const graph_sample& other);
  void save(byte_writer& to) const;
  void load(byte_reader& from);
  [[nodiscard]] std::size_t size() const { return used_; }                // different keys among those that are kept
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }  // keys that were there already
  [[nodiscard]] bool is_whole() const { return ignored_ == 0; }           // every key has been kept

 private:
  void insert_kept(std::uint64_t key);
  void narrow();
  void rebuild(std::size_t slots);

  std::size_t most_;
  std::uint64_t ignored_ = 0;  // keys with one of these bits are not kept
  std::size_t used_ = 0;
  std::uint64_t duplicates_ = 0;
  std::vector<std::uint64_t> slots_;  // 0: empty
};

}  // namespace kvrace::detail

// How many different hashes there were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace kvrace::detail {

class distinct_hashes {
 public:
  distinct_hashes();
  ~distinct_hashes();
  void insert(std::uint64_t hash);
  void insert(std::span<const std::uint64_t> hashes);
  [[nodiscard]] std::size_t size() const;

 private:
  struct table;
  std::unique_ptr<table> table_;
};

}  // namespace kvrace::detail

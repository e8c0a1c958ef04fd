#include "proof/graph_sample.h"

#include <utility>

#include "proof/graph_bytes.h"

namespace kvrace::detail {

void graph_sample::insert_kept(std::uint64_t key) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (key >> 24U) & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    if (slots_[at] != key) continue;
    ++duplicates_;
    return;
  }
  slots_[at] = key;
  ++used_;
  while (used_ > most_) narrow();
  if (used_ * 2 > slots_.size()) rebuild(slots_.size() * 2);
}

void graph_sample::narrow() {
  ignored_ = ignored_ << 1U | 1U;
  rebuild(slots_.size());
}

void graph_sample::rebuild(std::size_t slots) {
  std::vector<std::uint64_t> former(slots);
  std::swap(former, slots_);
  const std::size_t mask = slots - 1;
  used_ = 0;
  for (const std::uint64_t key : former) {
    if (key == 0 || (key & ignored_) != 0) continue;
    std::size_t at = (key >> 24U) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = key;
    ++used_;
  }
}

void graph_sample::add(const graph_sample& other) {
  duplicates_ += other.duplicates_;
  while (ignored_ < other.ignored_) narrow();
  for (const std::uint64_t key : other.slots_)
    if (key != 0) insert(key);
}

void graph_sample::save(byte_writer& to) const {
  std::vector<std::uint64_t> keys;
  for (const std::uint64_t key : slots_)
    if (key != 0) keys.push_back(key);
  to.put(ignored_);
  to.put(duplicates_);
  to.put_list(keys);
}

void graph_sample::load(byte_reader& from) {
  *this = graph_sample(most_);
  ignored_ = from.get<std::uint64_t>();
  duplicates_ = from.get<std::uint64_t>();
  for (const std::uint64_t key : from.get_list<std::uint64_t>()) insert(key);
}

}  // namespace kvrace::detail

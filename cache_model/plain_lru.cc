#include <kvrace/cache/plain_lru.h>

#include <iterator>

namespace kvrace::cache {

bool plain_lru::touch(std::uint32_t name) {
  const auto [place, added] = places_.try_emplace(name);
  if (!added) {
    order_.splice(order_.end(), order_, place->second);
    return true;
  }
  if (order_.size() < capacity_) {
    order_.push_back(name);
  } else {
    places_.erase(order_.front());
    order_.front() = name;
    order_.splice(order_.end(), order_, order_.begin());
  }
  place->second = std::prev(order_.end());
  return false;
}

}  // namespace kvrace::cache

// Token numbers: a cluster of one code point has the value of that, every longer one the next number above all code points.
// No two clusters have one number, so that different texts of whole clusters are different tokens.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <kvrace/cache/prompt.h>

#include "cache_model/input/clusters.h"

namespace kvrace::cache {

class vocabulary {
 public:
  token number_of(const std::u32string& cluster_text) {
    if (cluster_text.size() == 1) return cluster_text.front();
    return numbered(clusters_, cluster_text);
  }
  // Of a part of what a client wrote that is no whole number of clusters: the tokens it belongs to, and which bytes of them.
  using part = std::vector<std::uint32_t>;
  token number_of(const part& pieces) { return numbered(parts_, pieces); }

 private:
  static constexpr token first_free = 0x110000;

  template <class Map>
  token numbered(Map& map, const typename Map::key_type& what) {
    return map.emplace(what, static_cast<token>(first_free + clusters_.size() + parts_.size())).first->second;
  }

  std::map<std::u32string, token> clusters_;
  std::map<part, token> parts_;
};

}  // namespace kvrace::cache

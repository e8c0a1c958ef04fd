// B29, untagged concatenation of fields.
// The parts of a key are appended to each other, so that different parts can give the same key: a salt that is another
// request's adapter, or a border that moves.
#include <array>
#include <string>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct fields {
  std::string adapter;
  std::string salt;
};

template <bool Repaired>
std::string key_of(const fields& of) {
  if (!Repaired) return of.adapter + of.salt;
  return std::to_string(of.adapter.size()) + ':' + of.adapter + std::to_string(of.salt.size()) + ':' + of.salt;
}

template <bool Repaired>
void body(run& run) {
  const std::array<fields, 4> all{{{"x", ""}, {"", "x"}, {"ab", "c"}, {"a", "bc"}}};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      hold(run, key_of<Repaired>(all[i]) != key_of<Repaired>(all[k]), "pollution", "different fields give one key");
}

}  // namespace

const bug b29{.id = "B29",
              .title = "untagged concatenation of fields",
              .reports = "vllm #44701, sglang #24638",
              .oracle = "pollution",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus

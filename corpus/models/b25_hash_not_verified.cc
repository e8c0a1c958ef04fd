// B25, weak hash, and a hit that is not verified.
// A hit compares hashes only. Whoever finds another prompt with the same hash is served its content; here the hash has three
// bits, and the other prompt is found by trying.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

unsigned hash_of(unsigned prompt) { return (prompt * 2654435761U) >> 29U; }

template <bool Repaired>
void body(run& run) {
  const unsigned cached = 1;
  for (unsigned asked = 2; asked < 32; ++asked) {
    const bool hit = hash_of(asked) == hash_of(cached) && (!Repaired || asked == cached);
    hold(run, !hit, "pollution", "a prompt is served what belongs to another with the same hash");
  }
}

}  // namespace

const bug b25{.id = "B25",
              .title = "weak hash, and a hit that is not verified",
              .reports = "CVE-2025-25183, openvino.genai #3722, ristretto #30",
              .oracle = "pollution",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus

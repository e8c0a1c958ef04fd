// B82, trimmed by moving the length only.
// A hit on a common prefix returns the longer stored entry with a smaller length. One consumer honours the length, another
// reads all there is.
#include <vector>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct view {
  std::vector<char> content;  // who computed each token
  std::size_t length;
};

template <bool Repaired>
void body(run& run) {
  const std::vector<char> stored{'s', 's', 'a', 'a'};  // two tokens of the common prefix, two of user a
  view hit{stored, 2};
  if (Repaired) hit.content.resize(hit.length);
  for (const char token : hit.content)  // a consumer that does not know of the length
    hold(run, token != 'a', "pollution", "a request can read another's tokens behind its prefix");
}

}  // namespace

const bug b82{.id = "B82",
              .title = "trimmed by moving the length only",
              .reports = "vllm-mlx #384, #642",
              .oracle = "pollution",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus

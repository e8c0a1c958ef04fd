// B11, both counters reach zero for an object that is still indexed.
// An object has a count of references and one of pins, and the index is counted by neither. Cleaning up what was prefetched and
// not used takes one reference more than it gave: both are zero, the object is freed, and still indexed.
#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

template <bool Repaired>
void body(run& run) {
  int references = 1;  // of the index, if it counts
  int pins = 0;
  bool indexed = true;
  const auto drop = [&](int& counter) {
    --counter;
    return references == 0 && pins == 0;  // then it is freed
  };
  ++pins;        // lookup
  ++references;  // retrieve
  bool freed = drop(references) || drop(pins);
  if (!Repaired) freed = drop(references) || freed;  // the clean-up
  hold(run, !(freed && indexed), "ghost_entry", "an entry leads to an object that was freed");
}

}  // namespace

const bug b11{.id = "B11",
              .title = "both counters reach zero for an object that is still indexed",
              .reports = "LMCache #2772",
              .oracle = "ghost_entry",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus

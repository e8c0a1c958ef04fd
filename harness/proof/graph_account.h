// What an exploration has come to so far.
#pragma once

#include <cstdint>
#include <vector>

#include "proof/graph_sample.h"
#include "proof/graph_tally.h"

namespace kvrace::detail {

class byte_reader;
class byte_writer;

struct graph_account {
  graph_account(std::size_t metrics_size, std::size_t compared_max) : metrics(metrics_size), sample(compared_max) {}

  graph_tally tally;
  std::vector<std::uint64_t> metrics;
  graph_sample sample;

  void add(const graph_account& other);
  void save(byte_writer& to) const;
  void load(byte_reader& from);
};

}  // namespace kvrace::detail

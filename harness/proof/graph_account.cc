#include "proof/graph_account.h"

#include "proof/graph_bytes.h"

namespace kvrace::detail {

void graph_account::add(const graph_account& other) {
  tally.add(other.tally);
  for (std::size_t i = 0; i < metrics.size(); ++i) metrics[i] += other.metrics[i];
  sample.add(other.sample);
}

void graph_account::save(byte_writer& to) const {
  to.put(tally);
  to.put_list(metrics);
  sample.save(to);
}

void graph_account::load(byte_reader& from) {
  tally = from.get<graph_tally>();
  metrics = from.get_list<std::uint64_t>();
  sample.load(from);
}

}  // namespace kvrace::detail

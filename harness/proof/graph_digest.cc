#include "proof/graph_digest.h"

namespace kvrace::detail {

namespace {

struct product {
  std::uint64_t low, high;
};
product multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using wide = unsigned __int128;
  const wide both = static_cast<wide>(a) * b;
  return {static_cast<std::uint64_t>(both), static_cast<std::uint64_t>(both >> 64U)};
}

// Adds a hash of the three words to the sum, by folded multiplications as in wyhash.
void add_hash(state_key& sum, std::uint64_t first, std::uint64_t second, std::uint64_t third) {
  const product one = multiply(first ^ 0xa0761d6478bd642f, second ^ 0xe7037ed1a0b428db);
  const product two = multiply(one.low ^ third ^ 0x8ebc6af09c88c6e3, one.high ^ first ^ 0x589965cc75374cc3);
  add(sum, {two.low ^ one.high, two.high ^ one.low});
}

}  // namespace

state_key key_of(const execution_graph& graph, const graph_run& run) {
  constexpr std::uint64_t none = 0xffff;  // no lane has this number
  constexpr std::uint64_t word_max = 0xffffffff;
  const auto name = [&graph](place at) -> std::uint64_t {
    return at == no_place ? none : std::uint64_t{graph[at].lane} | std::uint64_t{graph[at].index} << 8U;
  };
  state_key sum{};
  for (unsigned at = 0; at < graph.size(); ++at) {
    const event& e = graph[at];
    std::uint64_t follows = none;
    std::uint64_t location = 0;
    std::uint64_t value = 0;
    if (reads(e)) {
      follows = name(e.source);
      location = run.identity(e.location);
    } else if (writes(e)) {
      follows = e.mo == 0 ? none : name(graph.on(e.location).writes[e.mo - 1U]);
      location = run.identity(e.location);
      value = e.value <= word_max ? e.value : 0;
    } else if (e.kind == event_kind::wake) {
      follows = name(e.source);
    } else if (e.kind != event_kind::fence) {
      value = e.value;
    } else if (e.operation == graph_operation::notify_change) {
      location = run.identity(static_cast<unsigned>(e.value));
    }
    const std::uint64_t what = std::uint64_t{e.lane} | std::uint64_t{e.index} << 8U | static_cast<std::uint64_t>(e.kind) << 16U |
                               static_cast<std::uint64_t>(e.operation) << 24U | std::uint64_t{e.order} << 32U;
    add_hash(sum, what | follows << 40U, location, value);
  }
  return mix(sum, graph.size());
}

}  // namespace kvrace::detail

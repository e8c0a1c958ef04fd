#include "scenarios/generator.h"

#include <string>

#include "scenarios/random.h"

namespace kvrace::scenarios {

std::uint64_t leaves_of(unsigned depth, unsigned fanout) {
  std::uint64_t leaves = 1;
  for (unsigned level = 0; level < depth && leaves <= leaves_max; ++level) leaves *= fanout;
  return leaves;
}

void write_prompt(unsigned depth, unsigned fanout, std::uint64_t leaf, std::uint32_t tokens_per_block,
                  std::vector<cache::token>& tokens) {
  tokens.clear();
  std::uint64_t nodes_above = 0;  // nodes on the levels above the current one
  std::uint64_t level_size = 1;
  std::uint64_t leaves_below = leaves_of(depth, fanout);
  for (unsigned level = 0; level < depth; ++level) {
    level_size *= fanout;
    leaves_below /= fanout;
    const std::uint64_t node = nodes_above + leaf / leaves_below + 1;
    tokens.insert(tokens.end(), tokens_per_block, static_cast<cache::token>(node));
    nodes_above += level_size;
  }
  tokens.push_back(0);
}

std::vector<task> generate_tasks(const generator& shape, std::uint32_t tokens_per_block) {
  random_engine engine(shape.seed);
  const auto leaves = static_cast<std::size_t>(leaves_of(shape.tree_depth, shape.tree_fanout));
  const weighted_index leaf(shape.zipf_exponent ? zipf_weights(leaves, *shape.zipf_exponent)
                                                : std::vector<std::uint64_t>(leaves, 1));
  const weighted_index kind({shape.mix.lookup, shape.mix.serve, shape.mix.invalidate});
  static constexpr operation::kind kinds[] = {operation::kind::lookup, operation::kind::serve, operation::kind::invalidate};
  static constexpr cache::cancel_point points[] = {cache::cancel_point::after_lookup, cache::cancel_point::after_reserve,
                                                   cache::cancel_point::after_fill};
  std::vector<task> tasks;
  for (unsigned number = 1; number <= shape.tasks; ++number) {
    task& client = tasks.emplace_back();
    client.name = "client-" + std::to_string(number);
    for (unsigned count = 0; count < shape.operations; ++count) {
      operation& call = client.operations.emplace_back();
      call.what = kinds[kind.draw(engine)];
      if (call.what == operation::kind::invalidate) continue;
      call.prompt.owner.model = "m";
      if (shape.tenants > 1) call.prompt.owner.tenant = "tenant-" + std::to_string(engine.below(shape.tenants) + 1);
      write_prompt(shape.tree_depth, shape.tree_fanout, leaf.draw(engine), tokens_per_block, call.prompt.tokens);
      if (call.what == operation::kind::serve && engine.chance(shape.cancellation_probability))
        call.cancel = points[engine.below(3)];
    }
  }
  return tasks;
}

}  // namespace kvrace::scenarios

// An exploration written down, so that it can be gone on with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kvrace/check.h>

#include "proof/graph_account.h"
#include "proof/graph_walk.h"

namespace kvrace::detail {

struct graph_checkpoint {
  state_key first;  // of the graph that is explored first: another program has another
  graph_account account;
  std::vector<std::string> items;  // see graph_explorer::save
};

// With what `proof` has learnt.
[[nodiscard]] std::string write_checkpoint(const prove_options& options, const graph_proof& proof, const graph_checkpoint& made);
// Teaches `proof`; `into` is empty before. Throws checkpoint_error if `text` is no checkpoint of a proof with these options.
void read_checkpoint(std::string_view text, const prove_options& options, graph_proof& proof, graph_checkpoint& into);

}  // namespace kvrace::detail

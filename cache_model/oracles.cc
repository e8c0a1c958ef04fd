// The oracles of the cache model by name.
#include "cache_model/judge.h"

namespace kvrace::cache {

const std::vector<oracle_description>& oracles() {
  static const std::vector<oracle_description> all = {
      {"ghost_entry", "the index or the eviction order leads to a block that denies it, or a block is served after its eviction",
       "O1, O3, O6"},
      {"pollution", "a request could read a token that is not of its own full key", "O2"},
      {"stale_handle",
       "a block is published or given back through a handle of a former owner, or written by another than its owner", "O3"},
      {"publication", "a block is found before it is published, or read before it is filled", "O4"},
      {"reference_balance", "references to a block do not add up, or a request gives one back that it does not hold", "O5"},
      {"capacity", "a block is neither free, nor cached and evictable, nor in use: the pool has shrunk", "O8"},
      {"stale", "a request is served content that was invalidated, or whose lease was over, before it began", "O6"},
      {"namespace_contract", "a lookup does not match exactly the common prefix under the same namespace", "O2"},
      {"exactly_once", "the content of a published block is given up twice, or never", "O12"},
      {"duplicate_load", "a value is computed again while it is being computed, or although it is there", "O9"},
      {"correlation", "a request receives the answer to another request", "O10"},
      {"promise", "less is delivered than was promised, and nobody says so", "O14"},
      {"lost_update", "an update is based on a value that another update has replaced: in no serial order it could be", "O15"},
      {"liveness", "what could be evicted is not, or requests are sent away for another without need", "O7"},
      {"isolation",
       "a request of low priority evicts what one of high priority has computed, or takes a block that is reserved for it", "I7"},
      {"starvation", "a request gets no block: one of the share of its class is idle, or the other class has it", "I7, O7"},
      {"sanitation", "text that the sanitiser should have replaced has become tokens", "I2"},
      {"rollback", "a request is served what a candidate has computed for requests from before its rollback", "I9"},
      {"linearizability",
       "no order of the calls explains what was found under a key, or which block was evicted; off unless it is named", "O6"},
  };
  return all;
}

judge::judge(run& run, const std::vector<std::string>& oracles_off) : run_(run) {
  on_.fill(true);
  for (const std::string& off : oracles_off)
    for (std::size_t id = 0; id < on_.size(); ++id)
      if (oracles()[id].name == off) on_[id] = false;
}

}  // namespace kvrace::cache

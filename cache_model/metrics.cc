// What a simulated cache counts, by name.
#include <kvrace/cache/simulation.h>

namespace kvrace::cache {

const char* to_string(pollution_way way) {
  switch (way) {
    case pollution_way::ghost_entry: return "ghost_entry";
    case pollution_way::stolen_block: return "stolen_block";
    case pollution_way::wrong_key: return "wrong_key";
    case pollution_way::foreign_rows: return "foreign_rows";
  }
  return "?";
}

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = {
      "requests_completed",
      "requests_cancelled",
      "requests_polluted",
      "requests_stale",
      "requests_starved",
      "tokens_queried",
      "tokens_hit",
      "blocks_audited",
      "blocks_ghost",
      "blocks_evicted",
      "inputs",
      "inputs_triggering",
      "triggers",
      "characters_replaced",
      "clusters_cut",
      "polluted_by_ghost_entry",
      "polluted_by_stolen_block",
      "polluted_by_wrong_key",
      "polluted_by_foreign_rows",
  };
  return names;
}

}  // namespace kvrace::cache

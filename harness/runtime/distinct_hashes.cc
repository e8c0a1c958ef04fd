#include "runtime/distinct_hashes.h"

#include <absl/container/flat_hash_set.h>

namespace kvrace::detail {

// Only its size is ever looked at: its order differs from run to run.
struct distinct_hashes::table {
  absl::flat_hash_set<std::uint64_t> hashes;
};

distinct_hashes::distinct_hashes() : table_(std::make_unique<table>()) {}
distinct_hashes::~distinct_hashes() = default;

void distinct_hashes::insert(std::uint64_t hash) { table_->hashes.insert(hash); }
void distinct_hashes::insert(std::span<const std::uint64_t> hashes) { table_->hashes.insert(hashes.begin(), hashes.end()); }
std::size_t distinct_hashes::size() const { return table_->hashes.size(); }

}  // namespace kvrace::detail

#include <kvrace/detail/verdict_memo.h>
#include <kvrace/linearizability.h>

#include "linearizability/key_table.h"

namespace kvrace::detail {

namespace {

constexpr std::uint64_t histories_max = std::uint64_t{1} << 20U;

state_key key_of(const fingerprint& history) { return {history.low(), history.high()}; }

}  // namespace

verdict_memo::verdict_memo() : table_(std::make_unique<key_table>()) {}
verdict_memo::~verdict_memo() = default;

std::optional<linearizability> verdict_memo::find(const fingerprint& history) const {
  const std::uint32_t known = table_->find(key_of(history));
  if (known == 0) return std::nullopt;
  return static_cast<linearizability>(known - 1);
}

void verdict_memo::remember(const fingerprint& history, linearizability verdict) {
  if (table_->size() == histories_max) table_ = std::make_unique<key_table>();
  (*table_)[key_of(history)] = static_cast<std::uint32_t>(verdict) + 1;
}

}  // namespace kvrace::detail

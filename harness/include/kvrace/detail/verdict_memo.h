// What became of histories that have been checked before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <kvrace/detail/fingerprint.h>

namespace kvrace {
enum class linearizability : std::uint8_t;
}

namespace kvrace::detail {

class key_table;

// Fingerprints stand for histories: with n of them two differ and look alike with a chance below n^2 / 2^129.
class verdict_memo {
 public:
  verdict_memo();
  verdict_memo(const verdict_memo&) = delete;
  verdict_memo& operator=(const verdict_memo&) = delete;
  ~verdict_memo();

  [[nodiscard]] std::optional<linearizability> find(const fingerprint& history) const;
  // Forgets all others first once there are too many.
  void remember(const fingerprint& history, linearizability verdict);

 private:
  std::unique_ptr<key_table> table_;
};

}  // namespace kvrace::detail

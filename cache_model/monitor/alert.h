// An alert over time: pending while its condition holds, firing once it has held for long enough, resolved when it holds no
// longer. What did not hold for long enough is resolved without having fired.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace kvrace::monitor {

enum class alert_state : std::uint8_t { pending, firing, resolved };
[[nodiscard]] const char* to_string(alert_state);

// One time that an alert was raised.
struct alert_record {
  std::string name;  // "anomaly", "isolation", "outage", or that of a rule
  std::chrono::nanoseconds pending_since = {};
  std::optional<std::chrono::nanoseconds> firing_since = {};
  std::optional<std::chrono::nanoseconds> resolved_at = {};
  [[nodiscard]] alert_state state() const {
    return resolved_at ? alert_state::resolved : firing_since ? alert_state::firing : alert_state::pending;
  }
  friend bool operator==(const alert_record&, const alert_record&) = default;
};

}  // namespace kvrace::monitor

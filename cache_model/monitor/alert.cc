#include "cache_model/monitor/alert.h"

namespace kvrace::monitor {

const char* to_string(alert_state state) {
  switch (state) {
    case alert_state::pending: return "pending";
    case alert_state::firing: return "firing";
    case alert_state::resolved: return "resolved";
  }
  return "?";
}

}  // namespace kvrace::monitor

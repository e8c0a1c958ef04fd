#pragma once

namespace kvrace::reports {

// Raised when a reader of the old form would misread the new one. Also in schema/report.schema.json.
inline constexpr unsigned schema_version = 1;

}  // namespace kvrace::reports

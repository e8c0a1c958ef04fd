#pragma once

namespace kvrace::reports {

// Raised with every change of a report's members: one more, one less, another meaning. What is written has this version; what is
// read may have any version up to it. Also in schema/report.schema.json.
//   1  before there was traffic
//   2  "traffic"
//   3  "shrunk"
//   4  "certificate"
//   5  "effort": what a search for states executed, which stood in "counts"
//   6  "shard", "passing"; "time_ns" and "behind" of steps
//   7  "rollouts"
inline constexpr unsigned schema_version = 7;

}  // namespace kvrace::reports

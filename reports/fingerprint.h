// What tells a finding from others in two runs of a program that was edited between them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace kvrace::reports {

// 64-bit FNV-1a over the parts and where each ends.
[[nodiscard]] std::uint64_t hash_of(std::initializer_list<std::string_view> parts);
[[nodiscard]] std::string hexadecimal(std::uint64_t);  // 16 digits

// What a scenario is called in every run: its file name without folders, extension and what shrinking adds; else its name.
[[nodiscard]] std::string scenario_id(const scenario_facts&);

// One a finding, each different within the report: over the scenario's id, the oracle, the kind of subject and the files of the
// places, without lines, numbers, seeds and schedules; of equal ones the second ends in "-2".
[[nodiscard]] std::vector<std::string> fingerprints(const report&);

}  // namespace kvrace::reports

#include <algorithm>
#include <array>

#include "reports/report.h"

namespace kvrace::reports {
namespace {

constexpr std::array registered{
    format{
        .name = "json", .extension = ".json", .summary = "pollution report for machines; can be replayed", .write = write_json},
    format{.name = "text", .extension = ".txt", .summary = "for a person: one column a task", .write = write_text},
};

}  // namespace

std::span<const format> formats() { return registered; }

const format* find_format(std::string_view name) {
  const auto* found = std::ranges::find(registered, name, &format::name);
  return found == registered.end() ? nullptr : found;
}

const format* format_for_path(std::string_view path) {
  const auto* found = std::ranges::find_if(registered, [path](const format& f) { return path.ends_with(f.extension); });
  return found == registered.end() ? nullptr : found;
}

}  // namespace kvrace::reports

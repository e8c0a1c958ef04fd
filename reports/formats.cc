#include <algorithm>
#include <array>

#include "reports/report.h"

namespace kvrace::reports {
namespace {

constexpr std::array registered{
    format{
        .name = "json", .extension = ".json", .summary = "pollution report for machines; can be replayed", .write = write_json},
    format{.name = "html",
           .extension = ".html",
           .summary = "for a person: one page with time lines and charts, for a browser",
           .write = write_html,
           .missing = html_missing},
    format{.name = "text", .extension = ".txt", .summary = "for a person: one column a task", .write = write_text},
    format{.name = "sarif", .extension = ".sarif", .summary = "SARIF 2.1.0, for code scanning", .write = write_sarif},
    format{.name = "junit", .extension = ".xml", .summary = "JUnit XML: one test case a scenario", .write = write_junit},
    format{.name = "github", .extension = ".annotations", .summary = "annotations of GitHub Actions", .write = write_github},
    format{
        .name = "markdown", .extension = ".md", .summary = "a summary, as of a step of GitHub Actions", .write = write_markdown},
    format{.name = "trace",
           .extension = ".perfetto",
           .summary = "Trace Event JSON, for ui.perfetto.dev: one track a task",
           .write = write_trace_events},
    format{.name = "prometheus", .extension = ".prom", .summary = "Prometheus text: the numbers", .write = write_prometheus},
    format{.name = "dot", .extension = ".dot", .summary = "a graph of the execution, for Graphviz", .write = write_dot},
    format{.name = "svg", .extension = ".svg", .summary = "a picture of rollouts over time", .write = write_svg},
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

#include "reports/traffic_table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

namespace kvrace::reports {
namespace {

constexpr std::size_t windows_at_an_end = 12;  // of many windows, so many are shown from the first and from the last
constexpr std::size_t indent = 2;

std::string text_of(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string text_of(const traffic_window::level& level) { return text_of(level.mean, 1) + "/" + std::to_string(level.max); }

std::string percent_of(const traffic_window& window, std::string_view name) {
  const auto found = std::find_if(window.rates.begin(), window.rates.end(), [&](const rate& each) { return each.name == name; });
  if (found == window.rates.end() || found->denominator == 0) return "-";
  return text_of(100.0 * static_cast<double>(found->numerator) / static_cast<double>(found->denominator), 2) + "%";
}

struct column {
  const char* head;
  std::size_t width;
  std::string (*cell)(const traffic_window&);
};

// The most telling first.
constexpr std::array<column, 14> columns = {{
    {"from s", 8, [](const traffic_window& w) { return text_of(w.start_s, w.start_s < 1000 ? 1 : 0); }},
    {"qps", 8, [](const traffic_window& w) { return text_of(w.qps_offered, 1); }},
    {"reached", 9, [](const traffic_window& w) { return text_of(w.qps_reached, 1); }},
    {"in flight", 11, [](const traffic_window& w) { return text_of(w.in_flight); }},
    {"queued", 11, [](const traffic_window& w) { return text_of(w.queued); }},
    {"polluted", 10, [](const traffic_window& w) { return percent_of(w, "pollution"); }},
    {"hit", 8, [](const traffic_window& w) { return percent_of(w, "hit"); }},
    {"p50 ms", 8, [](const traffic_window& w) { return text_of(w.latency_ms.p50, 1); }},
    {"p99 ms", 8, [](const traffic_window& w) { return text_of(w.latency_ms.p99, 1); }},
    {"ghosts", 8, [](const traffic_window& w) { return percent_of(w, "ghost"); }},
    {"stale", 8, [](const traffic_window& w) { return percent_of(w, "stale"); }},
    {"starved", 9, [](const traffic_window& w) { return std::to_string(w.starved); }},
    {"p90 ms", 8, [](const traffic_window& w) { return text_of(w.latency_ms.p90, 1); }},
    {"max ms", 9, [](const traffic_window& w) { return text_of(w.latency_ms.max, 1); }},
}};

class table {
 public:
  table(std::ostream& out, const presentation& how) : out_(out) {
    std::size_t width = indent;
    while (shown_ < columns.size() && (shown_ == 0 || width + columns[shown_].width <= how.columns))
      width += columns[shown_++].width;
  }
  void head() {
    line([](const column& each) { return std::string(each.head); });
  }
  void window(const traffic_window& window, const char* first = nullptr) {
    line([&](const column& each) {
      return first != nullptr && each.cell == columns[0].cell ? std::string(first) : each.cell(window);
    });
  }

 private:
  template <class Cell>
  void line(Cell cell) {
    std::string text(indent, ' ');
    for (std::size_t i = 0; i < shown_; ++i) {
      const std::string content = cell(columns[i]);
      const std::size_t room = columns[i].width > content.size() ? columns[i].width - content.size() : 1;  // cells never touch
      text += std::string(room, ' ') + content;
    }
    out_ << text << '\n';
  }

  std::ostream& out_;
  std::size_t shown_ = 0;
};

}  // namespace

void write_traffic_table(std::ostream& out, const traffic_facts& traffic, const presentation& how) {
  const std::vector<traffic_window>& windows = traffic.windows;
  out << "Traffic in virtual time, mean/max\n";
  table lines(out, how);
  lines.head();
  const bool all = windows.size() <= 2 * windows_at_an_end + 1;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (!all && i == windows_at_an_end) {
      const std::size_t left_out = windows.size() - 2 * windows_at_an_end;
      out << std::string(indent, ' ') << "... " << left_out << " more windows\n";
      i += left_out;
    }
    lines.window(windows[i]);
  }
  lines.window(traffic.total, "total");
}

}  // namespace kvrace::reports

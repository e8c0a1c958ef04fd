// Rollouts as a picture: under one axis of virtual time the candidate's share, hit rates, similarities and alerts. Colours follow
// the viewer's light or dark scheme; dashes tell the populations apart without them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "reports/plain_text.h"
#include "reports/report.h"
#include "reports/rollout_table.h"

namespace kvrace::reports {
namespace {

constexpr double picture_width = 720;
constexpr double left = 80;
constexpr double right = 20;
constexpr double panel_height = 90;
constexpr double panel_gap = 26;
constexpr double head = 58;
constexpr double alert_line = 16;
constexpr double axis = 34;
constexpr std::size_t rollouts_max = 12;
constexpr std::size_t alerts_max = 10;
constexpr std::size_t points_max = 2'000;

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char character : printable(text)) {
    switch (character) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += character;
    }
  }
  return safe;
}

std::string at(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", std::isfinite(value) ? value : 0.0);
  return text;
}

struct series {
  const char* name;  // its class too
  const rollout_population rollout_point::* of;
};
// Later ones are drawn over earlier ones, and are interrupted lines, so that curves that meet all show.
constexpr std::array<series, 3> populations = {
    {{"candidate", &rollout_point::candidate}, {"baseline", &rollout_point::baseline}, {"stable", &rollout_point::stable}}};

constexpr const char* sheet =
    "<style>"
    "svg{background:#ffffff}text{fill:#222222}.grid{stroke:#dddddd}.share{stroke:#0072b2}.stable{stroke:#888888;stroke-dasharray:"
    "2 3}"
    ".baseline{stroke:#009e73;stroke-dasharray:7 4}.candidate{stroke:#d55e00}.decided{stroke:#222222;stroke-dasharray:4 3}"
    ".pending{fill:#e69f00;opacity:.6}.firing{fill:#d55e00}"
    "polyline{fill:none;stroke-width:2}"
    "@media(prefers-color-scheme:dark){svg{background:#16181d}text{fill:#e6e6e6}.grid{stroke:#3a3f4a}.share{stroke:#56b4e9}"
    ".stable{stroke:#9a9a9a}.baseline{stroke:#2fc89b}.candidate{stroke:#ff8a3d}.decided{stroke:#e6e6e6}.firing{fill:#ff8a3d}}"
    "</style>\n";

double share_of(std::uint64_t part, std::uint64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

class chart {
 public:
  chart(std::ostream& out, const rollout_facts& facts) : out_(out), facts_(facts) {
    end_ = facts.points.empty() ? facts.start_s + 1 : std::max(facts.points.back().time_s, facts.start_s + 1e-9);
  }
  static double height(const rollout_facts& facts) {
    return head + 3 * (panel_height + panel_gap) + alert_line * static_cast<double>(std::min(facts.alerts.size(), alerts_max)) +
           axis;
  }

  void write(const std::string& name, std::size_t number) {
    text(left, 18, "start",
         name + ": rollout " + std::to_string(number) + " " + facts_.outcome +
             (facts_.decided_s ? " at " + seconds_of(*facts_.decided_s) : ""));
    std::string wrong =
        "served wrong: " + std::to_string(facts_.until_decided.wrong) + " of " + std::to_string(facts_.until_decided.served);
    if (facts_.without_canary)
      wrong += "; without a canary: " + std::to_string(facts_.without_canary->wrong) + " of " +
               std::to_string(facts_.without_canary->served);
    text(left, 34, "start", wrong);
    double top = head;
    panel(top, "candidate's share");
    shares(top);
    top += panel_height + panel_gap;
    panel(top, "token hit rate");
    for (const series& each : populations)
      curve(
          top, each, [](const rollout_population& of) { return of.tokens_queried != 0; },
          [](const rollout_population& of) { return share_of(of.tokens_hit, of.tokens_queried); });
    top += panel_height + panel_gap;
    panel(top, "similarity");
    for (const series& each : populations)
      curve(
          top, each, [](const rollout_population& of) { return of.similarity_count != 0; },
          [](const rollout_population& of) { return of.similarity_mean; });
    top += panel_height;
    if (facts_.decided_s) line(x_of(*facts_.decided_s), head, x_of(*facts_.decided_s), top, "decided");
    time_axis(top);
    alerts(top + axis);
  }

 private:
  [[nodiscard]] double x_of(double time) const {
    const double across = std::clamp((time - facts_.start_s) / (end_ - facts_.start_s), 0.0, 1.0);
    return left + across * (picture_width - left - right);
  }
  static double y_of(double top, double share) { return top + panel_height * (1 - std::clamp(share, 0.0, 1.0)); }

  void text(double x, double y, const char* anchor, const std::string& what) {
    out_ << "<text x=\"" << at(x) << "\" y=\"" << at(y) << "\" text-anchor=\"" << anchor << "\">" << escaped(excerpt(what, 110))
         << "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, const char* kind) {
    out_ << "<line class=\"" << kind << "\" x1=\"" << at(x1) << "\" y1=\"" << at(y1) << "\" x2=\"" << at(x2) << "\" y2=\""
         << at(y2) << "\"/>\n";
  }
  void panel(double top, const char* title) {
    text(left, top - 6, "start", title);
    for (const auto& [share, label] : {std::pair(0.0, "0%"), std::pair(0.5, "50%"), std::pair(1.0, "100%")}) {
      line(left, y_of(top, share), picture_width - right, y_of(top, share), "grid");
      text(left - 6, y_of(top, share) + 4, "end", label);
    }
  }
  // A share holds for the window that an evaluation ends.
  void shares(double top) {
    out_ << "<polyline class=\"share\" points=\"";
    double from = facts_.start_s;
    for (std::size_t i = 0; i < std::min(facts_.points.size(), points_max); ++i) {
      const rollout_point& point = facts_.points[i];
      const std::string y = at(y_of(top, point.candidate_permille / 1000.0));
      out_ << (i == 0 ? "" : " ") << at(x_of(from)) << ',' << y << ' ' << at(x_of(point.time_s)) << ',' << y;
      from = point.time_s;
    }
    out_ << "\"/>\n";
  }
  // Interrupted where there is no data.
  template <class HasData, class Value>
  void curve(double top, const series& which, HasData has_data, Value value) {
    bool open = false;
    for (std::size_t i = 0; i < std::min(facts_.points.size(), points_max); ++i) {
      const rollout_population& of = facts_.points[i].*which.of;
      const bool known = has_data(of);
      if (open && !known) out_ << "\"/>\n";
      if (known) {
        out_ << (open ? " " : "<polyline class=\"" + std::string(which.name) + "\" points=\"")
             << at(x_of(facts_.points[i].time_s)) << ',' << at(y_of(top, value(of)));
      }
      open = known;
    }
    if (open) out_ << "\"/>\n";
  }
  void time_axis(double bottom) {
    for (int tick = 0; tick <= 4; ++tick) {
      const double time = facts_.start_s + (end_ - facts_.start_s) * tick / 4;
      line(x_of(time), bottom, x_of(time), bottom + 4, "decided");
      text(x_of(time), bottom + 17, tick == 4 ? "end" : "middle", seconds_of(time));
    }
    double x = left + 200;
    for (const series& each : populations) {
      line(x, head - panel_gap / 2 + 3, x + 28, head - panel_gap / 2 + 3, each.name);
      text(x + 34, head - panel_gap / 2 + 7, "start", each.name);
      x += 120;
    }
  }
  void alerts(double top) {
    for (std::size_t i = 0; i < std::min(facts_.alerts.size(), alerts_max); ++i) {
      const rollout_alert& each = facts_.alerts[i];
      const double y = top + alert_line * static_cast<double>(i);
      text(left - 6, y + 4, "end", elide(printable(each.name), 12));
      bar(y, each.pending_s, each.firing_s.value_or(each.resolved_s.value_or(end_)), "pending", each.name);
      if (each.firing_s) bar(y, *each.firing_s, each.resolved_s.value_or(end_), "firing", each.name);
    }
  }
  void bar(double y, double from, double to, const char* kind, const std::string& name) {
    out_ << "<rect class=\"" << kind << "\" x=\"" << at(x_of(from)) << "\" y=\"" << at(y - 5) << "\" width=\""
         << at(std::max(x_of(to) - x_of(from), 1.0)) << "\" height=\"10\"><title>"
         << escaped(name + ' ' + kind + " from " + seconds_of(from) + " to " + seconds_of(to)) << "</title></rect>\n";
  }

  std::ostream& out_;
  const rollout_facts& facts_;
  double end_;
};

}  // namespace

void write_svg(std::ostream& out, std::span<const report> reports, const presentation&) {
  double height = 30;
  std::size_t shown = 0;
  std::size_t all = 0;
  for (const report& facts : reports) {
    for (const rollout_facts& each : facts.rollouts)
      if (all++ < rollouts_max) height += chart::height(each);
  }
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << at(picture_width) << "\" height=\"" << at(height)
      << "\" viewBox=\"0 0 " << at(picture_width) << ' ' << at(height) << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
      << "<title>Rollouts in virtual time</title>\n"
      << sheet;
  double top = 0;
  for (const report& facts : reports) {
    for (std::size_t i = 0; i < facts.rollouts.size() && shown < rollouts_max; ++i, ++shown) {
      out << "<g transform=\"translate(0 " << at(top) << ")\">\n";
      chart(out, facts.rollouts[i]).write(facts.scenario.name, i + 1);
      out << "</g>\n";
      top += chart::height(facts.rollouts[i]);
    }
  }
  if (const std::string note = all == 0      ? "No rollout: there is nothing to draw."
                               : all > shown ? "... " + std::to_string(all - shown) + " more rollouts"
                                             : "";
      !note.empty())
    out << "<text x=\"10\" y=\"" << at(top + 18) << "\">" << note << "</text>\n";
  out << "</svg>\n";
}

}  // namespace kvrace::reports

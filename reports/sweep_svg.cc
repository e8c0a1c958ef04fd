// The curves of a sweep as a picture: a panel for each locking strategy, both axes logarithmic, bars for the intervals. Colours
// and dashes tell the sets of flaws apart, so that it can be read without colours.
#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include "reports/plain_text.h"
#include "reports/sweep.h"
#include "reports/sweep_axes.h"

namespace kvrace::reports {
namespace {

constexpr double panel_width = 420;
constexpr double panel_height = 300;
constexpr double left = 70;    // of the plot in its panel, where the shares are labelled
constexpr double right = 15;
constexpr double top = 40;
constexpr double bottom = 45;
constexpr double zero_gap = 24;  // between the least share and the line of zeros
constexpr double legend_line = 18;

struct style {
  const char* colour;
  const char* dashes;
};
// Told apart by the colour-blind too (Okabe and Ito).
constexpr std::array<style, 7> styles = {{{"#009e73", ""},
                                          {"#d55e00", ""},
                                          {"#0072b2", "7 4"},
                                          {"#cc79a7", "2 3"},
                                          {"#e69f00", "9 3 2 3"},
                                          {"#56b4e9", "4 2"},
                                          {"#000000", "1 2"}}};

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
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

class writer {
 public:
  writer(std::ostream& out, const sweep_facts& facts)
      : out_(out), facts_(facts), axes_(facts), sets_(flaw_sets_of(facts)), lockings_(lockings_of(facts)) {}

  void write() {
    const double width = panel_width * static_cast<double>(lockings_.size());
    const double height = panel_height + legend_line * static_cast<double>(sets_.size()) + 20;
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << at(width) << "\" height=\"" << at(height)
         << "\" viewBox=\"0 0 " << at(width) << ' ' << at(height) << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
         << "<title>" << escaped(facts_.scenario.name) << "</title>\n"
         << "<desc>Polluted requests by requests a second, mean over " << facts_.seed_count << " seeds from " << facts_.seed_first
         << " on, with intervals: " << escaped(facts_.interval) << "</desc>\n"
         << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    for (std::size_t panel = 0; panel < lockings_.size(); ++panel) {
      out_ << "<g transform=\"translate(" << at(panel_width * static_cast<double>(panel)) << " 0)\">\n";
      frame(lockings_[panel]);
      for (const sweep_curve& each : facts_.curves)
        if (each.locking == lockings_[panel]) curve(each);
      out_ << "</g>\n";
    }
    legend();
    out_ << "</svg>\n";
  }

 private:
  [[nodiscard]] double x_of(double qps) const { return left + axes_.across(qps) * (panel_width - left - right); }
  [[nodiscard]] static double zero_line() { return panel_height - bottom; }
  // An interval may reach down to zero.
  [[nodiscard]] double y_of(double share) const {
    if (share <= 0) return zero_line();
    const double base = zero_line() - zero_gap;
    return base - axes_.up(share) * (base - top);
  }
  [[nodiscard]] const style& style_of(const std::string& flaw_set) const {
    const auto index = static_cast<std::size_t>(std::find(sets_.begin(), sets_.end(), flaw_set) - sets_.begin());
    return styles[index % styles.size()];
  }

  void line(double x1, double y1, double x2, double y2, const char* colour) {
    out_ << "<line x1=\"" << at(x1) << "\" y1=\"" << at(y1) << "\" x2=\"" << at(x2) << "\" y2=\"" << at(y2) << "\" stroke=\""
         << colour << "\"/>\n";
  }
  void text(double x, double y, const char* anchor, std::string_view what) {
    out_ << "<text x=\"" << at(x) << "\" y=\"" << at(y) << "\" text-anchor=\"" << anchor << "\">" << escaped(what) << "</text>\n";
  }

  void frame(const std::string& locking) {
    text((left + panel_width - right) / 2, 22, "middle", "Polluted requests: " + locking);
    for (const double tick : axes_.ticks()) {
      line(left, y_of(tick), panel_width - right, y_of(tick), "#dddddd");
      text(left - 6, y_of(tick) + 4, "end", percent_text(tick));
    }
    line(left, zero_line(), panel_width - right, zero_line(), "#888888");
    text(left - 6, zero_line() + 4, "end", "0");
    double free_from = 0;
    for (const double qps : axes_.loads()) {
      line(x_of(qps), zero_line(), x_of(qps), zero_line() + 4, "#888888");
      const std::string label = load_text(qps);
      const double half = 4 * static_cast<double>(label.size());
      if (x_of(qps) - half < free_from) continue;
      text(x_of(qps), zero_line() + 17, "middle", label);
      free_from = x_of(qps) + half + 2;
    }
    text((left + panel_width - right) / 2, panel_height - 10, "middle", "requests a second");
  }

  void curve(const sweep_curve& each) {
    const style& how = style_of(each.flaw_set);
    out_ << "<polyline fill=\"none\" stroke=\"" << how.colour << "\" stroke-width=\"2\" stroke-dasharray=\"" << how.dashes
         << "\" points=\"";
    for (std::size_t i = 0; i < each.points.size(); ++i)
      out_ << (i == 0 ? "" : " ") << at(x_of(each.points[i].qps)) << ',' << at(y_of(each.points[i].mean));
    out_ << "\"/>\n";
    for (const sweep_point& point : each.points) {
      if (point.high > point.low) line(x_of(point.qps), y_of(point.low), x_of(point.qps), y_of(point.high), how.colour);
      out_ << "<circle cx=\"" << at(x_of(point.qps)) << "\" cy=\"" << at(y_of(point.mean)) << "\" r=\"3\" fill=\"" << how.colour
           << "\"><title>"
           << escaped(each.locking + ", " + each.flaw_set + ", " + load_text(point.qps) + " a second: " +
                      percent_text(point.mean) + " (" + percent_text(point.low) + " to " + percent_text(point.high) + ")")
           << "</title></circle>\n";
    }
  }

  void legend() {
    double y = panel_height + 14;
    for (const std::string& set : sets_) {
      const style& how = style_of(set);
      out_ << "<line x1=\"" << at(left) << "\" y1=\"" << at(y - 4) << "\" x2=\"" << at(left + 40) << "\" y2=\"" << at(y - 4)
           << "\" stroke=\"" << how.colour << "\" stroke-width=\"2\" stroke-dasharray=\"" << how.dashes << "\"/>\n";
      text(left + 48, y, "start", set + flaws_text(set));
      y += legend_line;
    }
  }

  // Of the locking strategy that knows most of the set.
  [[nodiscard]] std::string flaws_text(const std::string& set) const {
    const std::vector<std::string>* most = nullptr;
    for (const sweep_curve& each : facts_.curves)
      if (each.flaw_set == set && (most == nullptr || each.flaws.size() > most->size())) most = &each.flaws;
    std::string text;
    for (const std::string& flaw : *most) text += (text.empty() ? ": " : ", ") + flaw;
    return text;
  }

  std::ostream& out_;
  const sweep_facts& facts_;
  sweep_axes axes_;
  std::vector<std::string> sets_;
  std::vector<std::string> lockings_;
};

}  // namespace

void write_sweep_svg(std::ostream& out, const sweep_facts& facts) { writer(out, facts).write(); }

}  // namespace kvrace::reports

#include "reports/sweep_axes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kvrace::reports {

namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::string text_of(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

sweep_axes::sweep_axes(const sweep_facts& facts) {
  double least = 1;
  for (const sweep_curve& curve : facts.curves)
    for (const sweep_point& point : curve.points) {
      loads_.push_back(point.qps);
      if (point.mean > 0) least = std::min(least, point.mean);
    }
  std::sort(loads_.begin(), loads_.end());
  loads_.erase(std::unique(loads_.begin(), loads_.end()), loads_.end());
  double tick = 0.1;
  while (tick > least && tick > 1e-6) tick /= 10;
  for (; tick < 1; tick *= 10) ticks_.push_back(tick);
  ticks_.push_back(1);
}

double sweep_axes::across(double qps) const {
  const double span = std::log(loads_.back() / loads_.front());
  return span == 0 ? 0.5 : std::log(qps / loads_.front()) / span;
}

double sweep_axes::up(double share) const {
  return std::max(0.0, std::log(share / ticks_.front()) / std::log(ticks_.back() / ticks_.front()));
}

std::string percent_text(double share) { return text_of("%.3g %%", share * 100); }

std::string load_text(double qps) { return text_of("%g", qps); }

std::vector<std::string> lockings_of(const sweep_facts& facts) {
  std::vector<std::string> names;
  for (const sweep_curve& each : facts.curves) add_once(names, each.locking);
  return names;
}

std::vector<std::string> flaw_sets_of(const sweep_facts& facts) {
  std::vector<std::string> names;
  for (const sweep_curve& each : facts.curves) add_once(names, each.flaw_set);
  return names;
}

}  // namespace kvrace::reports

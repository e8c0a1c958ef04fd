#include "cache_model/monitor/rules.h"

#include <algorithm>

namespace kvrace::monitor {
namespace {

// A rule that looks at one population: whose fault it is, the other one tells.
template <class Measure, class Bad>
judgement against(const counters& candidate, const counters& baseline, bool baseline_gone, Measure measure, Bad bad) {
  const ratio measured = measure(candidate);
  if (!measured.has_data()) return judgement::no_data;
  if (!bad(measured)) return judgement::good;
  if (baseline_gone) return judgement::bad;
  const ratio compared = measure(baseline);
  if (!compared.has_data()) return judgement::no_data;
  return bad(compared) ? judgement::both_bad : judgement::bad;
}

judgement compare_hits(const rules& by, const counters& candidate, const counters& baseline) {
  const ratio measured = candidate.hit_rate();
  const ratio compared = baseline.hit_rate();
  if (baseline.queries < by.queries_min || !measured.has_data() || !compared.has_data()) return judgement::no_data;
  return below(measured, *by.hit_ratio_floor_ppm, compared) ? judgement::bad : judgement::good;
}

judgement worst(const judged_window& judged) {
  const auto one_is = [&](judgement what) {
    return std::any_of(judged.by_rule.begin(), judged.by_rule.end(), [&](const auto& each) { return each == what; });
  };
  for (const judgement each : {judgement::bad, judgement::both_bad, judgement::no_data})
    if (one_is(each)) return each;
  return judgement::good;
}

}  // namespace

const char* to_string(rule which) {
  switch (which) {
    case rule::hit_ratio: return "hit_ratio";
    case rule::hit_rate: return "hit_rate";
    case rule::similarity: return "similarity";
    case rule::trigger_frequency: return "trigger_frequency";
    case rule::count: break;
  }
  return "?";
}

const char* to_string(judgement which) {
  switch (which) {
    case judgement::good: return "good";
    case judgement::bad: return "bad";
    case judgement::both_bad: return "both bad";
    case judgement::no_data: return "no data";
  }
  return "?";
}

judged_window judge(const rules& by, const counters& candidate, const counters& baseline, bool baseline_gone) {
  judged_window judged;
  const bool enough = candidate.queries >= by.queries_min && (baseline_gone || baseline.queries >= by.queries_min);
  const auto set = [&](rule which, bool is_set, const auto& judgement_of) {
    if (is_set) judged.by_rule[static_cast<std::size_t>(which)] = enough ? judgement_of() : judgement::no_data;
  };
  const auto alone = [&](auto measure, auto bad) { return against(candidate, baseline, baseline_gone, measure, bad); };
  set(rule::hit_ratio, by.hit_ratio_floor_ppm.has_value(), [&] { return compare_hits(by, candidate, baseline); });
  set(rule::hit_rate, by.hit_rate_floor_ppm.has_value(), [&] {
    return alone([](const counters& of) { return of.hit_rate(); },
                 [&](const ratio& of) { return below(of, *by.hit_rate_floor_ppm); });
  });
  set(rule::similarity, by.similarity_floor_ppm.has_value(), [&] {
    return alone([](const counters& of) { return of.similarity(); },
                 [&](const ratio& of) { return below(of, *by.similarity_floor_ppm); });
  });
  set(rule::trigger_frequency, by.trigger_ceiling_ppm.has_value(), [&] {
    return alone([](const counters& of) { return of.trigger_frequency(); },
                 [&](const ratio& of) { return above(of, *by.trigger_ceiling_ppm); });
  });
  judged.overall = enough ? worst(judged) : judgement::no_data;
  return judged;
}

}  // namespace kvrace::monitor

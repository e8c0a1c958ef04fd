#include "cache_model/monitor/counters.h"

namespace kvrace::monitor {
namespace {

__extension__ using wide = unsigned __int128;
constexpr std::uint64_t million = 1'000'000;

bool went_down(const counters& earlier, const counters& later) {
  return later.queries < earlier.queries || later.tokens_queried < earlier.tokens_queried ||
         later.tokens_hit < earlier.tokens_hit || later.queries_triggering < earlier.queries_triggering ||
         later.similarity_sum < earlier.similarity_sum || later.similarity_count < earlier.similarity_count ||
         later.isolation_violations < earlier.isolation_violations || later.polluted < earlier.polluted;
}

}  // namespace

bool below(const ratio& of, std::uint64_t floor_ppm) {
  return static_cast<wide>(of.part) * million < static_cast<wide>(of.whole) * floor_ppm;
}

bool above(const ratio& of, std::uint64_t ceiling_ppm) {
  return static_cast<wide>(of.part) * million > static_cast<wide>(of.whole) * ceiling_ppm;
}

bool below(const ratio& of, std::uint64_t floor_ppm, const ratio& other) {
  return static_cast<wide>(of.part) * other.whole * million < static_cast<wide>(other.part) * of.whole * floor_ppm;
}

counters& counters::operator+=(const counters& more) {
  queries += more.queries;
  tokens_queried += more.tokens_queried;
  tokens_hit += more.tokens_hit;
  queries_triggering += more.queries_triggering;
  similarity_sum += more.similarity_sum;
  similarity_count += more.similarity_count;
  isolation_violations += more.isolation_violations;
  polluted += more.polluted;
  return *this;
}

counters between(const counters& earlier, const counters& later) {
  if (went_down(earlier, later)) return later;
  return {.queries = later.queries - earlier.queries,
          .tokens_queried = later.tokens_queried - earlier.tokens_queried,
          .tokens_hit = later.tokens_hit - earlier.tokens_hit,
          .queries_triggering = later.queries_triggering - earlier.queries_triggering,
          .similarity_sum = later.similarity_sum - earlier.similarity_sum,
          .similarity_count = later.similarity_count - earlier.similarity_count,
          .isolation_violations = later.isolation_violations - earlier.isolation_violations,
          .polluted = later.polluted - earlier.polluted};
}

}  // namespace kvrace::monitor

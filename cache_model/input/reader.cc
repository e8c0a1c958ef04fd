#include <kvrace/cache/input.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cache_model/flaws/flaws.h"
#include "cache_model/input/clusters.h"
#include "cache_model/input/sanitizer.h"
#include "cache_model/input/utf8.h"
#include "cache_model/input/vocabulary.h"

namespace kvrace::cache {

namespace {

struct numbered_cluster {
  token number = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

void append_utf8(std::string& text, std::uint32_t value) {
  const auto byte = [&text](std::uint32_t bits) { text += static_cast<char>(bits); };
  const auto following = [&](unsigned shift) { byte(0x80U | (value >> shift & 0x3FU)); };
  if (value < 0x80) return byte(value);
  if (value < 0x800) {
    byte(0xC0U | value >> 6U);
  } else {
    if (value < 0x10000) {
      byte(0xE0U | value >> 12U);
    } else {
      byte(0xF0U | value >> 18U);
      following(12);
    }
    following(6);
  }
  following(0);
}

}  // namespace

class input_reader::pipeline {
 public:
  explicit pipeline(const configuration& configuration) : chunk_bytes_(configuration.input_chunk_bytes) {
    for (const std::string& name : configuration.flaws) find_flaw(name)->plant(seams_);
  }

  void read(std::string_view bytes, prompt& to) {
    static const input_policy repaired;
    input_facts facts;
    const std::vector<numbered_cluster> made = clusters_of(bytes, *seams_.input, facts);
    to.tokens.clear();
    for (const numbered_cluster& each : made) to.tokens.push_back(each.number);
    to.meant = nullptr;
    input_facts facts_meant;
    const std::vector<numbered_cluster> whole = clusters_of(bytes, repaired, facts_meant);
    std::vector<token> meant = meaning_of(made, whole);
    if (meant != to.tokens) to.meant = std::make_shared<const prompt>(prompt{.owner = to.owner, .tokens = std::move(meant)});
    facts.text = std::move(facts_meant.text);
    to.input = std::make_shared<const input_facts>(std::move(facts));
  }

 private:
  std::vector<numbered_cluster> clusters_of(std::string_view bytes, const input_policy& policy, input_facts& facts) {
    std::vector<numbered_cluster> found;
    utf8_decoder decoder;
    sanitizer sanitizer(seams_.sanitation->replaces());
    cluster_splitter splitter;
    const auto number = [&](const cluster& each) { found.push_back({vocabulary_.number_of(each.text), each.begin, each.end}); };
    const auto split = [&](const character& each) { splitter.feed(each, number); };
    const auto sanitize = [&](const character& each) {
      facts.replaced += each.replaced ? 1 : 0;
      append_utf8(facts.text, each.value);
      sanitizer.feed(each, split);
    };
    for (std::size_t begin = 0; begin < bytes.size(); begin += chunk_bytes_) {
      decoder.feed(bytes.substr(begin, chunk_bytes_), sanitize);
      if (!policy.decodes_across_chunks()) decoder.finish(sanitize);
      if (!policy.joins_clusters_across_chunks()) splitter.finish(number);
    }
    decoder.finish(sanitize);
    sanitizer.finish(split);
    splitter.finish(number);
    facts.triggers = sanitizer.triggers();
    facts.triggers_left = seams_.sanitation->replaces() ? 0 : sanitizer.triggers();
    facts.clusters_cut = splitter.cut();
    return found;
  }

  // What each of the tokens stands for: the same token, if a client's own character lies behind it; else some bytes of one or
  // more of those. Both lists are in the order of their bytes.
  std::vector<token> meaning_of(const std::vector<numbered_cluster>& made, const std::vector<numbered_cluster>& whole) {
    std::vector<token> meant;
    std::size_t first = 0;
    for (const numbered_cluster& each : made) {
      while (whole[first].end <= each.begin) ++first;
      if (whole[first].begin == each.begin && whole[first].end == each.end) {
        meant.push_back(whole[first].number);
        continue;
      }
      vocabulary::part pieces;
      for (std::size_t at = first; at < whole.size() && whole[at].begin < each.end; ++at) {
        const std::uint32_t begin = std::max(whole[at].begin, each.begin) - whole[at].begin;
        const std::uint32_t end = std::min(whole[at].end, each.end) - whole[at].begin;
        pieces.insert(pieces.end(), {whole[at].number, begin, end});
      }
      meant.push_back(vocabulary_.number_of(pieces));
    }
    return meant;
  }

  cache::seams seams_;
  std::size_t chunk_bytes_;
  vocabulary vocabulary_;
};

input_reader::input_reader(const configuration& configuration) : pipeline_(std::make_unique<pipeline>(configuration)) {}
input_reader::~input_reader() = default;
void input_reader::read(std::string_view bytes, prompt& to) { pipeline_->read(bytes, to); }

}  // namespace kvrace::cache

// The oracles of what stands beside the cache: books of their own, beside the parts they judge.
#pragma once

#include <array>
#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include <kvrace/cache/parts.h>
#include <kvrace/sync.h>

#include "cache_model/fixed_array.h"
#include "cache_model/judge.h"
#include "cache_model/parts/buffered_cache.h"
#include "cache_model/parts/connection_pool.h"
#include "cache_model/parts/preempting_batch.h"
#include "cache_model/parts/read_through.h"

namespace kvrace::cache {

class parts_oracle final : public read_through_listener,
                           public connection_listener,
                           public buffered_cache_listener,
                           public batch_listener {
 public:
  // `options` and `judge` outlive it. `capacity` is that of the buffered cache.
  parts_oracle(const parts_options& options, std::uint32_t capacity, judge& judge);

  // A request about a key, or about none.
  [[nodiscard]] std::uint32_t begins() { return ++requests_; }
  [[nodiscard]] std::string key_name(std::uint32_t key) const { return "key '" + options_.keys[key] + "'"; }

  void load_begins(std::uint32_t key, std::uint32_t request) override;
  void load_ends(std::uint32_t key, std::uint32_t request) override;
  void update_reads(std::uint32_t key, std::uint32_t request, std::uint64_t value) override;
  void update_writes(std::uint32_t key, std::uint32_t request, std::uint64_t value) override;

  void asked(std::uint32_t connection, const answer& question) override;
  void answered(std::uint32_t connection, const answer& question, const answer& received) override;
  void closed(std::uint32_t connection, std::uint32_t request) override;
  void given_back(std::uint32_t connection, std::uint32_t request) override;

  void entry_inserted(const map_entry&) override;
  void entry_evicted(const map_entry&) override;
  void node_added(const map_entry&) override;
  void node_removed(const map_entry&) override;
  void eviction_ended() override;
  // Of audits: a node that stands for no entry; how many entries there are when everything has been housekept.
  void orphan(const map_entry&);
  void settled(std::size_t resident);

  void admitted(std::uint32_t request) override;
  void preempted(std::uint32_t request, std::uint32_t other, bool parked) override;
  void step_begins() override {}
  void step_ends() override;

 private:
  struct entry_record {
    std::uint32_t key = 0;
    bool in_map = false;
    bool in_order = false;
  };
  struct parked_block {
    std::uint32_t request = 0;  // who was sent away
    std::uint32_t other = 0;    // for whom
  };
  struct value_record {
    std::uint32_t loaded_by = 0;   // the request whose load is in progress; 0: none
    bool present = false;
    std::uint64_t value = 0;       // what is there now
    std::uint32_t written_by = 0;  // the update that wrote it last; 0: none
    std::array<std::uint64_t, tasks_max + 1> read = {};  // by task: what its update is based on
  };

  template <class Message>
  void fail(oracle_id oracle, std::uint32_t key, Message message, std::source_location where = std::source_location::current());

  [[nodiscard]] entry_record& entry(const map_entry&);
  void note(const map_entry&, const char* event) const;

  const parts_options& options_;
  judge& judge_;
  std::uint32_t capacity_;
  std::uint32_t requests_ = 0;
  fixed_array<sync, value_record> values_;
  std::vector<entry_record, allocator<entry_record>> entries_;  // by instance
  std::size_t resident_ = 0;
  std::vector<parked_block, allocator<parked_block>> parked_;  // since the last step of the device has ended
};

}  // namespace kvrace::cache

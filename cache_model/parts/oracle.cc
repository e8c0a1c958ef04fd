#include "cache_model/parts/oracle.h"

namespace kvrace::cache {

namespace {

std::string number_of(std::uint32_t request) { return "request " + std::to_string(request); }
std::string name_of(std::uint32_t connection) { return "connection " + std::to_string(connection); }

}  // namespace

parts_oracle::parts_oracle(const parts_options& options, std::uint32_t capacity, judge& judge)
    : options_(options), judge_(judge), capacity_(capacity), values_(options.read_through ? options.keys.size() : 0) {}

template <class Message>
void parts_oracle::fail(oracle_id oracle, std::uint32_t key, Message message, std::source_location where) {
  judge_.fail(oracle, "key", [&] { return key_name(key); }, message, where);
}

// ---- values that are computed once ----

void parts_oracle::load_begins(std::uint32_t key, std::uint32_t request) {
  const bookkeeping scope;
  value_record& value = values_[key];
  if (run::recording()) [[unlikely]]
    run::note(key_name(key), "load begins", number_of(request));
  if (value.loaded_by != 0)
    fail(oracle_id::duplicate_load, key, [&] {
      return number_of(request) + " computes the value of " + key_name(key) + " while " + number_of(value.loaded_by) +
             " is computing it";
    });
  else if (value.present)
    fail(oracle_id::duplicate_load, key,
         [&] { return number_of(request) + " computes the value of " + key_name(key) + ", which is there"; });
  value.loaded_by = request;
}

void parts_oracle::load_ends(std::uint32_t key, std::uint32_t request) {
  const bookkeeping scope;
  value_record& value = values_[key];
  if (run::recording()) [[unlikely]]
    run::note(key_name(key), "load ends", number_of(request));
  value.loaded_by = 0;
  value.present = true;
}

void parts_oracle::update_reads(std::uint32_t key, std::uint32_t request, std::uint64_t value) {
  const bookkeeping scope;
  if (run::recording()) [[unlikely]]
    run::note(key_name(key), "read", number_of(request) + ", value " + std::to_string(value));
  values_[key].read[run::task()] = value;
}

void parts_oracle::update_writes(std::uint32_t key, std::uint32_t request, std::uint64_t value) {
  const bookkeeping scope;
  value_record& present = values_[key];
  const std::uint64_t base = present.read[run::task()];
  if (run::recording()) [[unlikely]]
    run::note(key_name(key), "write", number_of(request) + ", value " + std::to_string(value));
  if (base != present.value)
    fail(oracle_id::lost_update, key, [&] {
      return number_of(request) + " wrote " + std::to_string(value) + " to " + key_name(key) + ", having read " +
             std::to_string(base) + ": the update by " + number_of(present.written_by) + " to " + std::to_string(present.value) +
             " is lost";
    });
  present.present = true;
  present.value = value;
  present.written_by = request;
}

// ---- pooled connections ----

void parts_oracle::asked(std::uint32_t connection, const answer& question) {
  const bookkeeping scope;
  if (run::recording()) [[unlikely]]
    run::note(name_of(connection), "ask", number_of(question.request) + ", " + key_name(question.key));
}

void parts_oracle::answered(std::uint32_t connection, const answer& question, const answer& received) {
  const bookkeeping scope;
  if (run::recording()) [[unlikely]]
    run::note(name_of(connection), "receive",
              number_of(question.request) + ", the answer to " + number_of(received.request) + ", " + key_name(received.key));
  if (question.request == received.request) return;
  judge_.fail(
      oracle_id::correlation, "connection", [&] { return name_of(connection); },
      [&] {
        return number_of(question.request) + " for " + key_name(question.key) + " received over " + name_of(connection) +
               " the answer to " + number_of(received.request) + " for " + key_name(received.key);
      },
      std::source_location::current());
}

void parts_oracle::closed(std::uint32_t connection, std::uint32_t request) {
  const bookkeeping scope;
  if (run::recording()) [[unlikely]]
    run::note(name_of(connection), "close", number_of(request));
}

void parts_oracle::given_back(std::uint32_t connection, std::uint32_t request) {
  const bookkeeping scope;
  if (run::recording()) [[unlikely]]
    run::note(name_of(connection), "give back", number_of(request));
}

// ---- an eviction order that follows a map ----

parts_oracle::entry_record& parts_oracle::entry(const map_entry& which) {
  if (entries_.size() <= which.instance) entries_.resize(which.instance + 1);
  entries_[which.instance].key = which.key;
  return entries_[which.instance];
}

void parts_oracle::note(const map_entry& which, const char* event) const {
  if (run::recording()) [[unlikely]]
    run::note(key_name(which.key), event, "instance " + std::to_string(which.instance));
}

void parts_oracle::entry_inserted(const map_entry& which) {
  const bookkeeping scope;
  note(which, "insert");
  entry(which).in_map = true;
  ++resident_;
}

void parts_oracle::entry_evicted(const map_entry& which) {
  const bookkeeping scope;
  note(which, "evict");
  entry(which).in_map = false;
  --resident_;
}

void parts_oracle::node_added(const map_entry& which) {
  const bookkeeping scope;
  note(which, "add to order");
  entry(which).in_order = true;
}

void parts_oracle::node_removed(const map_entry& which) {
  const bookkeeping scope;
  note(which, "remove from order");
  entry(which).in_order = false;
}

void parts_oracle::eviction_ended() {
  const bookkeeping scope;
  if (resident_ <= capacity_) return;
  for (const entry_record& each : entries_) {
    if (!each.in_map || !each.in_order) continue;
    fail(oracle_id::liveness, each.key, [&] {
      return "nothing more is evicted while there are " + std::to_string(resident_) + " entries for a capacity of " +
             std::to_string(capacity_) + ", although the one of " + key_name(each.key) + " could be";
    });
    return;
  }
}

void parts_oracle::orphan(const map_entry& which) {
  fail(oracle_id::ghost_entry, which.key, [&] {
    return "the eviction order has a node for " + key_name(which.key) + ", instance " + std::to_string(which.instance) +
           ", whose entry has been evicted";
  });
}

void parts_oracle::settled(std::size_t resident) {
  if (resident <= capacity_) return;
  judge_.fail(
      oracle_id::capacity, "", [] { return std::string(); },
      [&] {
        return "there are " + std::to_string(resident) + " entries for a capacity of " + std::to_string(capacity_) +
               " after all housekeeping";
      },
      std::source_location::current());
}

// ---- requests that are sent away for others ----

void parts_oracle::admitted(std::uint32_t request) {
  const bookkeeping scope;
  if (run::recording()) [[unlikely]]
    run::note(number_of(request), "admit");
}

void parts_oracle::preempted(std::uint32_t request, std::uint32_t other, bool parked) {
  const bookkeeping scope;
  if (run::recording()) [[unlikely]]
    run::note(number_of(other), "preempt", number_of(request) + (parked ? ", its block is parked" : ", its block is free"));
  if (!parked) return;
  for (const parked_block& each : parked_) {
    if (each.other != other) continue;
    judge_.fail(
        oracle_id::liveness, "request", [&] { return number_of(other); },
        [&] {
          return number_of(other) + " sends " + number_of(request) + " away for a block, although that of " +
                 number_of(each.request) + ", which it has sent away, is still to come";
        },
        std::source_location::current());
  }
  parked_.push_back({request, other});
}

void parts_oracle::step_ends() {
  const bookkeeping scope;
  parked_.clear();
}

}  // namespace kvrace::cache

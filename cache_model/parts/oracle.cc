#include "cache_model/parts/oracle.h"

namespace kvrace::cache {

namespace {

std::string number_of(std::uint32_t request) { return "request " + std::to_string(request); }
std::string name_of(std::uint32_t connection) { return "connection " + std::to_string(connection); }

}  // namespace

parts_oracle::parts_oracle(const parts_options& options, judge& judge)
    : options_(options), judge_(judge), values_(options.read_through ? options.keys.size() : 0) {}

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

}  // namespace kvrace::cache

#include "proof/graph_checkpoint.h"

#include "proof/graph_bytes.h"

namespace kvrace::detail {

namespace {

// Raised with every change of the format or of the order of exploration.
constexpr std::string_view heading = "kvrace graph exploration, version 1\n";

state_key sum_of(std::string_view bytes) {
  state_key sum{bytes.size(), 0};
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    sum = mix(sum, word);
  }
  return sum;
}

void write_bounds(byte_writer& to, const prove_options& options) {
  to.put(options.limits.steps_max);
  to.put(options.limits.call_steps_max);
  to.put(options.limits.leaks);
  to.put(options.limits.faults);
  to.put(options.count_distinct);
  to.put<std::uint64_t>(options.metrics.size());
  for (const std::string& each : options.metrics) to.put_text(each);
}

void expect(bool holds, const std::string& what) {
  if (!holds) throw checkpoint_error("expected a checkpoint of " + what);
}

}  // namespace

std::string write_checkpoint(const prove_options& options, const graph_proof& proof, const graph_checkpoint& made) {
  byte_writer body;
  body.put_text(options.program_name);
  body.put(options.memory_model);
  byte_writer bounds;
  write_bounds(bounds, options);
  body.put_text(bounds.take());
  body.put(made.first);
  proof.save_knowledge(body);
  made.account.save(body);
  body.put<std::uint64_t>(made.items.size());
  for (const std::string& item : made.items) body.put_text(item);
  const std::string bytes = body.take();
  byte_writer all;
  all.put_all(heading.data(), heading.size());
  all.put(sum_of(bytes));
  all.put_all(bytes.data(), bytes.size());
  return all.take();
}

void read_checkpoint(std::string_view text, const prove_options& options, graph_proof& proof, graph_checkpoint& into) {
  expect(text.starts_with(heading), "a proof by execution graphs, written by this version of kvrace");
  text.remove_prefix(heading.size());
  const std::string whole = "a proof by execution graphs that is whole";
  expect(text.size() > sizeof(state_key), whole);
  const auto sum = byte_reader(text).get<state_key>();
  text.remove_prefix(sizeof sum);
  expect(sum == sum_of(text), whole);
  byte_reader from(text);
  expect(from.get_text() == options.program_name, "this program, written by this build of kvrace");
  expect(from.get<memory_model>() == options.memory_model, std::string("a proof under ") + to_string(options.memory_model));
  byte_writer bounds;
  write_bounds(bounds, options);
  expect(from.get_text() == bounds.take(), "a proof with the same bounds and metrics");
  into.first = from.get<state_key>();
  proof.load_knowledge(from);
  into.account.load(from);
  for (auto left = from.get<std::uint64_t>(); left > 0; --left) into.items.emplace_back(from.get_text());
}

}  // namespace kvrace::detail

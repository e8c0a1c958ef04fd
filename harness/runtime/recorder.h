// Writes down one run for a report. Installed only while a finding is re-executed. Of a long run it keeps what came last.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kvrace/detail/core.h>
#include <kvrace/result.h>

namespace kvrace::detail {

// "mutex 'pool'" if it has a name and a run is recorded, else "mutex 1.4": creating task, creation index.
[[nodiscard]] std::string describe(object_type type, std::uint32_t id);
[[nodiscard]] inline std::string describe(const object& what) { return describe(what.type, what.id); }

class recorder {
 public:
  explicit recorder(std::size_t trace_max, std::size_t ledger_max) : trace_max_(trace_max), ledger_max_(ledger_max) {}

  void step(const task_record& task, std::uint64_t number, bool preempts);
  void access(const object& data, bool write, site where);
  void value(std::string_view text, std::uint64_t behind);
  void note(std::string_view subject, std::string_view event, std::string_view detail);
  std::size_t operation_called(std::string text);
  void operation_returned(std::size_t record, std::string text);
  void name(const object& what, std::string_view name);
  [[nodiscard]] const std::string* name_of(std::uint32_t object_id) const;
  [[nodiscard]] const std::string* last_call_of(unsigned task_id) const;  // null if there is none

  // Moves what was recorded into `into`, and marks the decisive steps.
  void hand_over(finding& into);

 private:
  trace_step& add_step();
  void trim(const finding& into);
  void mark_decisive(const finding& into);

  std::size_t trace_max_;
  std::size_t ledger_max_;
  std::uint64_t digest_ = 0x6a09e667f3bcc908;
  std::vector<trace_step> trace_;
  std::vector<operation_record> operations_;
  std::size_t operations_dropped_ = 0;
  std::vector<ledger_event> ledger_;
  std::map<std::uint32_t, std::string> names_;
};

}  // namespace kvrace::detail

#include "cache_model/parts/parts.h"

#include <optional>

#include <kvrace/sync.h>

#include "cache_model/parts/connection_pool.h"
#include "cache_model/parts/oracle.h"
#include "cache_model/parts/read_through.h"

namespace kvrace::cache {

namespace {

class simulated_parts final : public parts {
 public:
  simulated_parts(run& run, const parts_options& options, const seams& seams, judge& judge) : run_(run), oracle_(options, judge) {
    if (options.read_through) values_.emplace(options.keys.size(), *seams.waiter, oracle_);
    if (options.connections) connections_.emplace(options.connections_max, *seams.connection, oracle_);
  }
  // The memory is the run's, which may be cut short.
  static void* operator new(std::size_t) { return allocator<simulated_parts>().allocate(1); }
  static void operator delete(void* object) noexcept {
    allocator<simulated_parts>().deallocate(static_cast<simulated_parts*>(object), 1);
  }

  void load(std::uint32_t key) override {
    operation operation([&] { return "load(" + oracle_.key_name(key) + ")"; });
    const std::uint64_t value = values_->load(key, begins());
    operation.returns([&] { return std::to_string(value); });
    completed();
  }

  void update(std::uint32_t key) override {
    operation operation([&] { return "update(" + oracle_.key_name(key) + ")"; });
    const std::uint64_t value = values_->update(key, begins());
    operation.returns([&] { return std::to_string(value); });
    completed();
  }

  void fetch(std::uint32_t key) override {
    operation operation([&] { return "fetch(" + oracle_.key_name(key) + ")"; });
    try {
      const answer received = connections_->fetch({begins(), key}, [] { cancellation_point(); });
      operation.returns([&] { return "the value of " + oracle_.key_name(received.key); });
      completed();
    } catch (const cancelled&) {
      operation.returns([] { return std::string("cancelled"); });
      run_.add(static_cast<std::size_t>(metric::requests_cancelled), 1);
    }
  }

 private:
  std::uint32_t begins() {
    const bookkeeping scope;
    return oracle_.begins();
  }
  void completed() { run_.add(static_cast<std::size_t>(metric::requests_completed), 1); }

  run& run_;
  parts_oracle oracle_;
  std::optional<read_through<sync>> values_;
  std::optional<connection_pool<sync>> connections_;
};

}  // namespace

std::unique_ptr<parts> make_parts(run& run, const parts_options& options, const seams& seams, judge& judge) {
  if (!options.any()) return nullptr;
  return std::unique_ptr<parts>(new simulated_parts(run, options, seams, judge));
}

}  // namespace kvrace::cache

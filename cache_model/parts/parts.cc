#include "cache_model/parts/parts.h"

#include <optional>

#include <kvrace/sync.h>

#include "cache_model/parts/buffered_cache.h"
#include "cache_model/parts/connection_pool.h"
#include "cache_model/parts/oracle.h"
#include "cache_model/parts/preempting_batch.h"
#include "cache_model/parts/read_through.h"

namespace kvrace::cache {

namespace {

class simulated_parts final : public parts {
 public:
  simulated_parts(run& run, const parts_options& options, std::uint32_t capacity, const seams& seams, judge& judge)
      : run_(run), oracle_(options, capacity, judge) {
    if (options.read_through) values_.emplace(options.keys.size(), *seams.waiter, oracle_);
    if (options.connections) connections_.emplace(options.connections_max, *seams.connection, oracle_);
    if (options.buffered) buffered_.emplace(options.keys.size(), capacity, *seams.record, oracle_);
    if (options.batch) batch_.emplace(capacity, *seams.preemption, oracle_);
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

  void put(std::uint32_t key) override {
    const operation operation([&] { return "put(" + oracle_.key_name(key) + ")"; });
    buffered_->put(key);
    completed();
  }

  void maintain() override {
    const operation operation([] { return std::string("maintain()"); });
    buffered_->maintain();
  }

  void admit() override {
    const std::uint32_t request = begins();
    const operation operation([&] { return "admit(request " + std::to_string(request) + ")"; });
    batch_->admit(request);
    completed();
  }

  void device_step() override {
    const operation operation([] { return std::string("device_step()"); });
    batch_->step();
  }

  void audit() override {
    const bookkeeping scope;
    if (buffered_) buffered_->for_each_orphan([this](const map_entry& node) { oracle_.orphan(node); });
  }

  void finish() override {
    if (!buffered_) return;
    maintain();
    audit();
    oracle_.settled(buffered_->resident());
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
  std::optional<buffered_cache<sync>> buffered_;
  std::optional<preempting_batch<sync>> batch_;
};

}  // namespace

std::unique_ptr<parts> make_parts(run& run, const parts_options& options, std::uint32_t capacity, const seams& seams,
                                  judge& judge) {
  if (!options.any()) return nullptr;
  return std::unique_ptr<parts>(new simulated_parts(run, options, capacity, seams, judge));
}

}  // namespace kvrace::cache

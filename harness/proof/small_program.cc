#include "proof/small_program.h"

#include <array>
#include <sstream>

#include "strategies/random_source.h"

namespace kvrace::testing {

namespace {

using detail::random_source;

// The controlled objects of one run.
struct world {
  std::array<atomic<int>, 2> atomics{};
  mutex lock;
  shared_mutex shared;
  condition_variable condition;
  counting_semaphore<> permits{1};
  once_flag once;
  bool flag = false;
  std::array<var<int>, 2> plain{};
};

// One task's way through its statements.
class walker {
 public:
  walker(world& world, run& run, observation& seen) : world_(world), run_(run), seen_(seen) {}

  void go(const std::vector<statement>& statements) {
    for (const statement& each : statements) execute(each);
    if (holds_) world_.lock.unlock();
    release();
  }

 private:
  enum class held : std::uint8_t { no, shared, exclusive };

  void saw(char what, int value) { seen_ += what + std::to_string(value); }

  void execute(const statement& next) {
    switch (next.what) {
      case action::load:
      case action::store:
      case action::add:
      case action::exchange_if: return access(next);
      case action::lock:
      case action::try_lock:
      case action::unlock: return use_mutex(next.what);
      case action::lock_shared:
      case action::try_lock_shared:
      case action::lock_exclusive:
      case action::try_lock_exclusive: return use_shared(next.what);
      case action::release: return release();
      case action::wait:
      case action::wait_for: return wait(next.what == action::wait_for);
      case action::fence: return kvrace::atomic_thread_fence(next.order);
      case action::notify_one: return world_.condition.notify_one();
      case action::notify_all: return world_.condition.notify_all();
      case action::choose: return saw('c', static_cast<int>(run_.pick(0, next.value - 1)));
      case action::yield: return kvrace::yield();
      case action::read_plain: return static_cast<void>(world_.plain[next.object].load());
      case action::write_plain: return world_.plain[next.object].store(1);
      case action::acquire: return world_.permits.acquire();
      case action::try_acquire: return saw('p', world_.permits.try_acquire());
      case action::permit: return world_.permits.release();
      case action::await: return world_.atomics[next.object].wait(next.expected, next.order);
      case action::notify_waiting: return world_.atomics[next.object].notify_all();
      case action::await_flag:
      case action::raise_flag: return use_flag(next.what);
      case action::call_once:
        return kvrace::call_once(world_.once, [&] { saw('o', world_.atomics[next.object].fetch_add(next.value)); });
    }
  }

  void access(const statement& next) {
    atomic<int>& target = world_.atomics[next.object];
    if (next.what == action::load) {
      saw('l', target.load(next.order));
    } else if (next.what == action::store) {
      target.store(next.value, next.order);
    } else if (next.what == action::add) {
      saw('a', target.fetch_add(next.value, next.order));
    } else {
      int expected = next.expected;
      const bool done = target.compare_exchange_strong(expected, next.value, next.order);
      saw(done ? 'x' : 'f', expected);
    }
  }

  void use_mutex(action what) {
    if (what == action::unlock) {
      if (!holds_) return;
      world_.lock.unlock();
      holds_ = false;
    } else if (!holds_) {
      if (what == action::lock)
        world_.lock.lock(), holds_ = true;
      else
        saw('t', holds_ = world_.lock.try_lock());
    }
  }

  void use_flag(action what) {
    if (holds_) return;
    {
      unique_lock<mutex> lock(world_.lock);
      if (what == action::raise_flag) {
        world_.flag = true;
      } else {
        saw('d', world_.flag);
        if (!world_.flag) world_.condition.wait(lock);
      }
    }
    if (what == action::raise_flag) world_.condition.notify_all();
  }

  void use_shared(action what) {
    if (shared_ != held::no) return;
    const bool exclusive = what == action::lock_exclusive || what == action::try_lock_exclusive;
    bool got = true;
    if (what == action::lock_shared)
      world_.shared.lock_shared();
    else if (what == action::lock_exclusive)
      world_.shared.lock();
    else
      saw('t', got = exclusive ? world_.shared.try_lock() : world_.shared.try_lock_shared());
    if (got) shared_ = exclusive ? held::exclusive : held::shared;
  }

  void release() {
    if (shared_ == held::shared) world_.shared.unlock_shared();
    if (shared_ == held::exclusive) world_.shared.unlock();
    shared_ = held::no;
  }

  void wait(bool timed) {
    if (!holds_) return;
    unique_lock<mutex> lock(world_.lock, std::adopt_lock);
    if (timed)
      saw('w', world_.condition.wait_for(lock, std::chrono::hours(1)) == std::cv_status::timeout);
    else
      world_.condition.wait(lock);
    lock.release();
  }

  world& world_;
  run& run_;
  observation& seen_;
  bool holds_ = false;
  held shared_ = held::no;
};

constexpr std::array load_orders = {std::memory_order_relaxed, std::memory_order_acquire, std::memory_order_seq_cst};
constexpr std::array store_orders = {std::memory_order_relaxed, std::memory_order_release, std::memory_order_seq_cst};
constexpr std::array update_orders = {std::memory_order_relaxed, std::memory_order_acquire, std::memory_order_release,
                                      std::memory_order_acq_rel, std::memory_order_seq_cst};

template <std::size_t N>
std::memory_order any_of(const std::array<std::memory_order, N>& orders, random_source& random) {
  return orders[random.below(N)];
}

statement random_statement(const std::vector<action>& words, bool orders, random_source& random) {
  statement next;
  next.what = words[random.below(words.size())];
  next.object = static_cast<unsigned>(random.below(2));
  next.value = 1 + static_cast<int>(random.below(2));
  next.expected = static_cast<int>(random.below(3));
  if (next.what == action::choose) next.value = 2;
  if (!orders) return next;
  if (next.what == action::load || next.what == action::await) next.order = any_of(load_orders, random);
  if (next.what == action::store) next.order = any_of(store_orders, random);
  if (next.what == action::add || next.what == action::exchange_if || next.what == action::fence)
    next.order = any_of(update_orders, random);
  return next;
}

std::vector<action> words_of(const vocabulary& from) {
  std::vector<action> words;
  const auto add = [&words](std::initializer_list<action> more) { words.insert(words.end(), more); };
  if (from.atomics) add({action::load, action::load, action::store, action::store, action::add, action::exchange_if});
  if (from.orders) add({action::fence});
  if (from.locks)
    add({action::lock, action::lock, action::unlock, action::try_lock, action::lock_shared, action::lock_shared,
         action::lock_exclusive, action::release, action::release});
  if (from.locks && from.shared_tries) add({action::try_lock_shared, action::try_lock_exclusive});
  if (from.condition)
    add({action::lock, action::lock, action::wait, action::wait, action::wait_for, action::wait_for, action::notify_one,
         action::notify_one, action::notify_all});
  if (from.choices) add({action::choose, action::choose});
  if (from.yields) add({action::yield, action::yield});
  if (from.plain) add({action::read_plain, action::read_plain, action::write_plain, action::write_plain});
  if (from.flag) add({action::await_flag, action::await_flag, action::raise_flag, action::raise_flag});
  if (from.gates)
    add({action::acquire, action::acquire, action::try_acquire, action::permit, action::permit, action::await, action::await,
         action::notify_waiting, action::notify_waiting, action::store, action::call_once});
  return words;
}

const char* word(action what) {
  constexpr std::array names = {"load",     "store",          "add",      "cas",        "fence",       "lock",
                                "try_lock", "unlock",         "rlock",    "try_rlock",  "wlock",       "try_wlock",
                                "release",  "wait",           "wait_for", "notify_one", "notify_all",  "choose",
                                "yield",    "read",           "write",    "acquire",    "try_acquire", "permit",
                                "await",    "notify_waiting", "once",     "await_flag", "raise_flag"};
  return names[static_cast<std::size_t>(what)];
}

}  // namespace

small_program random_program(const vocabulary& from, std::uint64_t seed) {
  random_source random(seed, 0);
  const std::vector<action> words = words_of(from);
  small_program made;
  made.tasks.resize(2 + random.below(from.tasks_max - 1));
  for (auto& task : made.tasks) {
    task.resize(1 + random.below(from.statements_max));
    for (statement& each : task) each = random_statement(words, from.orders, random);
  }
  return made;
}

std::string to_string(const small_program& program) {
  std::ostringstream text;
  for (const auto& task : program.tasks) {
    text << (&task == &program.tasks.front() ? "" : " || ");
    for (const statement& each : task)
      text << word(each.what) << ' ' << each.object << ',' << each.value << ',' << each.expected << ','
           << static_cast<int>(each.order) << "; ";
  }
  return text.str();
}

observation execute(const small_program& program, run& run) {
  world world;
  std::vector<observation> seen(program.tasks.size());
  for (std::size_t i = 0; i < program.tasks.size(); ++i)
    run.spawn("task", [&, i] { walker(world, run, seen[i]).go(program.tasks[i]); });
  run.join_all();
  observation all;
  for (const observation& each : seen) all += each + '|';
  for (const atomic<int>& each : world.atomics) all += std::to_string(sync::peek(each)) + ' ';
  return all;
}

}  // namespace kvrace::testing

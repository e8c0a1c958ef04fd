// Entries are unlinked, retired and freed two epochs later, once no reader is pinned in an older one. A reader that pins itself
// without a fence may be overlooked: its announcement is not seen in time, and it reads an entry that is freed under it. Only a
// weak memory model shows that: under sequential consistency the flawed form is proved as well.
#include <array>

#include "tell.h"

namespace {

template <class Sync, bool Repaired>
class epoch_list {
 public:
  struct entry {
    typename Sync::template var<int> value{7};
    typename Sync::template var<bool> freed{false};
  };

  epoch_list() { Sync::name(entry_.freed, "entry"); }
  int read() {
    announced_.store(epoch_.load(std::memory_order_relaxed) * 2 + 1, std::memory_order_relaxed);
    if (Repaired) Sync::atomic_thread_fence(std::memory_order_seq_cst);
    const entry* const linked = linked_.load(std::memory_order_acquire);
    const int value = linked != nullptr && !linked->freed ? static_cast<int>(linked->value) : 0;
    announced_.store(0, std::memory_order_release);
    return value;
  }
  void remove_and_free() {
    entry* const removed = linked_.exchange(nullptr, std::memory_order_acq_rel);
    if (advance() && advance()) removed->freed = true;
  }

 private:
  bool advance() {
    const int now = epoch_.load(std::memory_order_relaxed);
    Sync::atomic_thread_fence(std::memory_order_seq_cst);
    const int seen = announced_.load(std::memory_order_relaxed);
    if (seen % 2 == 1 && seen / 2 != now) return false;
    Sync::atomic_thread_fence(std::memory_order_acquire);
    epoch_.store(now + 1, std::memory_order_release);
    return true;
  }

  entry entry_;
  typename Sync::template atomic<entry*> linked_{&entry_};
  typename Sync::template atomic<int> epoch_{0};
  typename Sync::template atomic<int> announced_{0};
};

template <bool Repaired>
void a_reader_and_a_remover(kvrace::run& run) {
  epoch_list<kvrace::sync, Repaired> list;
  run.spawn("reader", [&] { (void)list.read(); });
  run.spawn("remover", [&] { list.remove_and_free(); });
  run.join_all();
}

}  // namespace

int main() {
  const int told = kvrace::example::tell({.title = "epoch_list",
                                          .bug = "a reader pins itself without a fence, and is overlooked",
                                          .repair = "a sequentially consistent fence after the announcement",
                                          .flawed = a_reader_and_a_remover<false>,
                                          .repaired = a_reader_and_a_remover<true>,
                                          .pinned = "rc11/1.1:2,2.3:1,1.2:2,2.5:1,1.3:2,2.7:1,1.3=1,2.9=2",
                                          .memory_model = kvrace::memory_model::rc11});
  const kvrace::result strong = kvrace::prove({}, a_reader_and_a_remover<false>);
  std::printf("  flawed    %s under sc\n", to_string(strong.verdict));
  return strong.verdict == kvrace::verdict::proved ? told : 1;
}

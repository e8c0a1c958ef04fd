// Epoch-based reclamation: what has been unlinked from a lock-free structure is destroyed when no thread can still read it.
//
// After K. Fraser, "Practical lock-freedom" (Cambridge technical report 579, 2004), chapter 5, in the form of the published
// design of crossbeam-epoch: one global epoch, participants that announce the epoch they have pinned, and an epoch that moves on
// only when every pinned participant has announced it.
//
// Why it is safe. An object is sealed with an epoch g that was read after it had been unlinked. Who may still hold it was pinned
// before that, in an epoch <= g, and while it stays pinned the epoch cannot move beyond g + 1. So at g + 2 nobody holds it.
// The two fences make this true where loads may be stale: either a reader that pins sees the object unlinked, or the one that
// moves the epoch sees the reader pinned. Unpinning releases what was read to the one that sees it, and through the epoch to
// the one that destroys.
//
// Two differences to crossbeam-epoch save visible operations. A pin claims its participant with a compare-exchange, so that
// threads need no registration and a participant may pass from one to another. And moving the epoch starts from the epoch the
// participant has pinned, by compare-exchange instead of a load and a store.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kvrace::cache {

// Pins for one thread at a time, and keeps what it has retired.
template <class Sync>
struct epoch_participant {
  static constexpr std::uint64_t idle = 0;
  static constexpr std::uint64_t open = ~std::uint64_t{0};  // retired, and not sealed yet
  struct retired {
    void* object;
    void (*destroy)(void*);
    std::uint64_t epoch;
  };

  explicit epoch_participant(std::uint64_t announced) : state(announced) {}

  typename Sync::template atomic<std::uint64_t> state;  // idle, or the pinned epoch
  epoch_participant* next = nullptr;                    // fixed before others see it
  std::uint32_t number = 1;                             // how many participants there were when it came, with itself
  std::uint64_t pinned = 0;                             // the pinned epoch: the holder's own
  typename Sync::shadow guard;                          // over the list: it belongs to the holder
  std::vector<retired, typename Sync::template allocator<retired>> garbage;  // epochs never fall
};

// The repaired form. A flaw changes one of them.
struct epoch_rules {
  std::uint64_t grace = 2;    // epochs between sealing and destroying
  bool pins_with_fence = true;
};

template <class Sync>
class epoch_domain {
 public:
  using participant = epoch_participant<Sync>;

  // At most `participants_max` threads pin at a time; more wait for one another.
  explicit epoch_domain(epoch_rules rules = {}, std::uint32_t participants_max = 64)
      : rules_(rules), participants_max_(participants_max) {
    Sync::name(epoch_, "epoch");
    Sync::name(participants_, "participants");
  }
  epoch_domain(const epoch_domain&) = delete;
  epoch_domain& operator=(const epoch_domain&) = delete;
  // Destroys whatever is still retired. Nobody may be pinned.
  ~epoch_domain() {
    for (participant* each = Sync::peek(participants_); each != nullptr;) {
      each->guard.write();
      for (const auto& last : each->garbage) last.destroy(last.object);
      remove(std::exchange(each, each->next));
    }
  }

  // While it lives, nothing that was reachable after its construction is destroyed.
  class pin {
   public:
    // `mine` is a participant this thread has used before, or null; it is set to the one in use.
    pin(epoch_domain& domain, participant*& mine) : domain_(domain), participant_(domain.enter(mine)) { mine = participant_; }
    // For a thread that pins once.
    explicit pin(epoch_domain& domain) : domain_(domain), participant_(domain.enter_once()) {}
    pin(const pin&) = delete;
    pin& operator=(const pin&) = delete;
    ~pin() { participant_->state.store(participant::idle, std::memory_order_release); }

    // `object` comes from Sync::make and has been unlinked: whoever pins from now on cannot reach it. Destroyed once, later.
    template <class T>
    void retire(const T* object) {
      participant_->guard.write();
      participant_->garbage.push_back(
          {const_cast<T*>(object), [](void* erased) { Sync::destroy(static_cast<T*>(erased)); }, participant::open});
    }
    // Seals what this participant has retired, and moves the epoch on if every pinned participant has announced it. Returns an
    // epoch that has been reached.
    std::uint64_t try_advance() { return domain_.advance(*participant_); }
    // Destroys what this participant has retired and nobody can hold at `epoch`.
    void collect(std::uint64_t epoch) { domain_.collect(*participant_, epoch); }
    // Both, if there is anything to destroy.
    void collect() {
      if (!participant_->garbage.empty()) collect(try_advance());
    }

   private:
    epoch_domain& domain_;
    participant* participant_;
  };

  // Without a visible operation: for tests and audits.
  [[nodiscard]] std::uint64_t epoch() const { return Sync::peek(epoch_); }
  [[nodiscard]] std::size_t retired() const {
    std::size_t count = 0;
    for (const participant* each = Sync::peek(participants_); each != nullptr; each = each->next) count += each->garbage.size();
    return count;
  }

 private:
  static typename Sync::template allocator<participant> memory() { return {}; }
  static void remove(participant* unused) {
    std::destroy_at(unused);
    memory().deallocate(unused, 1);
  }

  participant* enter(participant* mine) {
    const std::uint64_t epoch = epoch_.load(std::memory_order_relaxed);
    if (mine == nullptr)
      mine = join(epoch);
    else if (!claim(*mine, epoch))
      mine = find_or_join(epoch);
    return entered(mine, epoch);
  }
  participant* enter_once() {
    const std::uint64_t epoch = epoch_.load(std::memory_order_relaxed);
    return entered(find_or_join(epoch), epoch);
  }
  participant* entered(participant* mine, std::uint64_t epoch) {
    mine->pinned = epoch;
    // Between the announcement and the first read: one of this thread and the one that moves the epoch sees the other.
    if (rules_.pins_with_fence) Sync::atomic_thread_fence(std::memory_order_seq_cst);
    return mine;
  }

  // Acquires what the former holder has retired.
  static bool claim(participant& wanted, std::uint64_t epoch) {
    std::uint64_t expected = participant::idle;
    return wanted.state.compare_exchange_strong(expected, epoch, std::memory_order_acquire, std::memory_order_relaxed);
  }
  participant* find_idle(std::uint64_t epoch) {
    for (participant* each = participants_.load(std::memory_order_acquire); each != nullptr; each = each->next)
      if (claim(*each, epoch)) return each;
    return nullptr;
  }
  participant* find_or_join(std::uint64_t epoch) {
    participant* const found = find_idle(epoch);
    return found != nullptr ? found : join(epoch);
  }
  // A new participant, pinned from the start; one of the others, once it is idle, if there are enough.
  participant* join(std::uint64_t epoch) {
    auto* fresh = std::construct_at(memory().allocate(1), epoch);
    participant* first = nullptr;
    do {
      if (first != nullptr && first->number >= participants_max_) {
        remove(fresh);
        return wait_for_idle(epoch);
      }
      fresh->next = first;
      fresh->number = first == nullptr ? 1 : first->number + 1;
    } while (!participants_.compare_exchange_weak(first, fresh, std::memory_order_acq_rel, std::memory_order_acquire));
    return fresh;
  }

  participant* wait_for_idle(std::uint64_t epoch) {
    for (;;) {
      if (participant* found = find_idle(epoch)) return found;
      Sync::yield();
    }
  }

  std::uint64_t advance(participant& mine) {
    // Between unlinking and reading the epoch, and between knowing the pinned epoch and reading the announcements.
    Sync::atomic_thread_fence(std::memory_order_seq_cst);
    std::uint64_t now = mine.pinned;
    if (everybody_announced(mine)) {
      if (epoch_.compare_exchange_strong(now, mine.pinned + 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
        seal(mine, now);
        return now + 1;
      }
    } else {
      now = epoch_.load(std::memory_order_acquire);
    }
    seal(mine, now);
    return now;
  }
  bool everybody_announced(const participant& mine) const {
    for (const participant* each = participants_.load(std::memory_order_acquire); each != nullptr; each = each->next) {
      if (each == &mine) continue;
      // Acquires what a participant that has unpinned has read.
      const std::uint64_t announced = each->state.load(std::memory_order_acquire);
      if (announced != participant::idle && announced != mine.pinned) return false;
    }
    return true;
  }
  static void seal(participant& mine, std::uint64_t epoch) {
    mine.guard.write();
    for (auto last = mine.garbage.rbegin(); last != mine.garbage.rend() && last->epoch == participant::open; ++last)
      last->epoch = epoch;
  }
  void collect(participant& mine, std::uint64_t epoch) {
    mine.guard.write();
    auto first_kept = mine.garbage.begin();
    for (; first_kept != mine.garbage.end() && first_kept->epoch != participant::open && first_kept->epoch + rules_.grace <= epoch;
         ++first_kept)
      first_kept->destroy(first_kept->object);
    mine.garbage.erase(mine.garbage.begin(), first_kept);
  }

  epoch_rules rules_;
  std::uint32_t participants_max_;
  typename Sync::template atomic<std::uint64_t> epoch_{1};  // never idle
  typename Sync::template atomic<participant*> participants_{nullptr};
};

}  // namespace kvrace::cache

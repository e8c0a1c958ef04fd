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
// Three differences to crossbeam-epoch save visible operations. A pin claims its participant with a compare-exchange, so that
// threads need no registration and a participant may pass from one to another. Moving the epoch starts from the epoch the
// participant has pinned, by compare-exchange instead of a load and a store. And the epoch's word has room for a number of the
// domain's user, the stamp, which every pin reads along.
//
// Epochs and stamps are 32 bits wide. An epoch that wraps is no danger: what was sealed half a round ago or longer waits for the
// other half.
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
  struct retired {
    void* object;
    void (*destroy)(void*);
    std::uint32_t epoch;
    bool sealed;
  };

  explicit epoch_participant(std::uint64_t announced) : state(announced) {}

  typename Sync::template atomic<std::uint64_t> state;  // idle, or the pinned epoch as announced
  epoch_participant* next = nullptr;                    // fixed before others see it
  std::uint32_t number = 1;                             // how many participants there were when it came, with itself
  std::uint64_t pinned = 0;                             // the domain's word as it was pinned: the holder's own
  std::uint32_t others = 0;                             // how many participants it has last looked at: the holder's own
  std::uint32_t calls = 0;                              // to collect what there is, since it has: the holder's own
  typename Sync::shadow guard;                          // over the list: it belongs to the holder
  std::vector<retired, typename Sync::template allocator<retired>> garbage;  // in the order of their epochs, unsealed ones last
};

// The repaired form. A flaw changes one of them.
struct epoch_rules {
  std::uint32_t grace = 2;  // epochs between sealing and destroying
  bool pins_with_fence = true;
};

// Where the epochs and the stamps of a domain begin.
struct epoch_start {
  std::uint32_t epoch = 1;
  std::uint32_t stamp = 1;
};

template <class Sync>
class epoch_domain {
 public:
  using participant = epoch_participant<Sync>;

  // At most `participants_max` threads pin at a time; more wait for one another.
  explicit epoch_domain(epoch_rules rules = {}, std::uint32_t participants_max = 64, epoch_start start = {})
      : rules_(rules), participants_max_(participants_max), word_(std::uint64_t{start.stamp} << 32U | start.epoch) {
    Sync::name(word_, "epoch");
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
          {const_cast<T*>(object), [](void* erased) { Sync::destroy(static_cast<T*>(erased)); }, 0, false});
    }
    // The stamp when this was pinned, or a later one.
    [[nodiscard]] std::uint32_t stamp() const { return stamp_in(participant_->pinned); }
    // Seals what this participant has retired, and moves the epoch on if every pinned participant has announced it. Returns an
    // epoch that has been reached.
    std::uint32_t try_advance() { return domain_.advance(*participant_); }
    // Destroys what this participant has retired and nobody can hold at `epoch`.
    void collect(std::uint32_t epoch) { domain_.collect(*participant_, epoch); }
    // Both, if there is anything to destroy; where there are many participants to look at, not at every call.
    void collect() {
      if (participant_->garbage.empty() || participant_->calls++ < participant_->others / participants_a_call) return;
      participant_->calls = 0;
      collect(try_advance());
    }

   private:
    epoch_domain& domain_;
    participant* participant_;
  };

  [[nodiscard]] std::uint32_t stamp() const { return stamp_in(word_.load(std::memory_order_acquire)); }
  // Returns the new one.
  std::uint32_t raise_stamp() { return stamp_in(word_.fetch_add(std::uint64_t{1} << 32U, std::memory_order_acq_rel)) + 1; }

  // Without a visible operation: for tests and audits.
  [[nodiscard]] std::uint32_t epoch() const { return epoch_in(Sync::peek(word_)); }
  [[nodiscard]] std::size_t retired() const {
    std::size_t count = 0;
    for (const participant* each = Sync::peek(participants_); each != nullptr; each = each->next) count += each->garbage.size();
    return count;
  }

 private:
  static constexpr std::uint32_t participants_a_call = 4;

  static std::uint32_t epoch_in(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
  static std::uint32_t stamp_in(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); }
  static std::uint64_t announcement(std::uint64_t word) { return std::uint64_t{1} << 32U | epoch_in(word); }  // never idle

  static typename Sync::template allocator<participant> memory() { return {}; }
  static void remove(participant* unused) {
    std::destroy_at(unused);
    memory().deallocate(unused, 1);
  }

  participant* enter(participant* mine) {
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    if (mine == nullptr)
      mine = join(word);
    else if (!claim(*mine, word))
      mine = find_or_join(word);
    return entered(mine, word);
  }
  participant* enter_once() {
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    return entered(find_or_join(word), word);
  }
  participant* entered(participant* mine, std::uint64_t word) {
    mine->pinned = word;
    // Between the announcement and the first read: one of this thread and the one that moves the epoch sees the other.
    if (rules_.pins_with_fence) Sync::atomic_thread_fence(std::memory_order_seq_cst);
    return mine;
  }

  // Acquires what the former holder has retired.
  static bool claim(participant& wanted, std::uint64_t word) {
    std::uint64_t expected = participant::idle;
    return wanted.state.compare_exchange_strong(expected, announcement(word), std::memory_order_acquire,
                                                std::memory_order_relaxed);
  }
  participant* find_idle(std::uint64_t word) {
    for (participant* each = participants_.load(std::memory_order_acquire); each != nullptr; each = each->next)
      if (claim(*each, word)) return each;
    return nullptr;
  }
  participant* find_or_join(std::uint64_t word) {
    participant* const found = find_idle(word);
    return found != nullptr ? found : join(word);
  }
  // A new participant, pinned from the start; one of the others, once it is idle, if there are enough.
  participant* join(std::uint64_t word) {
    auto* fresh = std::construct_at(memory().allocate(1), announcement(word));
    participant* first = nullptr;
    do {
      if (first != nullptr && first->number >= participants_max_) {
        remove(fresh);
        return wait_for_idle(word);
      }
      fresh->next = first;
      fresh->number = first == nullptr ? 1 : first->number + 1;
    } while (!participants_.compare_exchange_weak(first, fresh, std::memory_order_acq_rel, std::memory_order_acquire));
    return fresh;
  }

  participant* wait_for_idle(std::uint64_t word) {
    for (;;) {
      if (participant* found = find_idle(word)) return found;
      Sync::yield();
    }
  }

  std::uint32_t advance(participant& mine) {
    // Between unlinking and reading the epoch, and between knowing the pinned epoch and reading the announcements.
    Sync::atomic_thread_fence(std::memory_order_seq_cst);
    std::uint64_t now = mine.pinned;
    std::uint32_t moved = 0;
    if (everybody_announced(mine)) {
      const std::uint64_t next = std::uint64_t{stamp_in(now)} << 32U | (epoch_in(now) + 1);
      // Fails too if the stamp has been raised: then a later pin moves the epoch.
      if (word_.compare_exchange_strong(now, next, std::memory_order_acq_rel, std::memory_order_acquire)) moved = 1;
    } else {
      now = word_.load(std::memory_order_acquire);
    }
    seal(mine, epoch_in(now));
    return epoch_in(now) + moved;
  }
  bool everybody_announced(participant& mine) const {
    const std::uint64_t expected = announcement(mine.pinned);
    const participant* const newest = participants_.load(std::memory_order_acquire);
    mine.others = newest->number - 1;
    for (const participant* each = newest; each != nullptr; each = each->next) {
      if (each == &mine) continue;
      // Acquires what a participant that has unpinned has read.
      const std::uint64_t announced = each->state.load(std::memory_order_acquire);
      if (announced != participant::idle && announced != expected) return false;
    }
    return true;
  }
  static void seal(participant& mine, std::uint32_t epoch) {
    mine.guard.write();
    for (auto last = mine.garbage.rbegin(); last != mine.garbage.rend() && !last->sealed; ++last) {
      last->epoch = epoch;
      last->sealed = true;
    }
  }
  void collect(participant& mine, std::uint32_t epoch) {
    mine.guard.write();
    // Also for an epoch from before the sealing: the distance is a signed one.
    const auto over = [this, epoch](const typename participant::retired& each) {
      return each.sealed && static_cast<std::int32_t>(epoch - each.epoch) >= static_cast<std::int32_t>(rules_.grace);
    };
    auto first_kept = mine.garbage.begin();
    for (; first_kept != mine.garbage.end() && over(*first_kept); ++first_kept) first_kept->destroy(first_kept->object);
    mine.garbage.erase(mine.garbage.begin(), first_kept);
  }

  epoch_rules rules_;
  std::uint32_t participants_max_;
  typename Sync::template atomic<std::uint64_t> word_;  // stamp, epoch
  typename Sync::template atomic<participant*> participants_{nullptr};
};

}  // namespace kvrace::cache

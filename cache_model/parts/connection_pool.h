// Connections to a store, kept in a pool. A connection is a stream: it answers in the order in which it was asked, and an answer
// does not say whose it is. The store answers at once, so that its pace is no part of the question: what matters is what is left
// in the stream when a connection changes hands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <kvrace/cache/seams.h>

#include "cache_model/fixed_array.h"

namespace kvrace::cache {

// What the store answers: known to the oracle, not to who receives it.
struct answer {
  std::uint32_t request = 0;
  std::uint32_t key = 0;
};

// Told by who holds the connection.
class connection_listener {
 public:
  virtual void asked(std::uint32_t connection, const answer& question) = 0;
  virtual void answered(std::uint32_t connection, const answer& question, const answer& received) = 0;
  virtual void closed(std::uint32_t connection, std::uint32_t request) = 0;
  virtual void given_back(std::uint32_t connection, std::uint32_t request) = 0;

 protected:
  ~connection_listener() = default;
};

template <class Sync>
class connection_pool {
 public:
  // `policy` and `listener` outlive it.
  connection_pool(std::size_t connections, const connection_policy& policy, connection_listener& listener)
      : policy_(policy), listener_(listener), connections_(connections) {
    Sync::name(mutex_, "connections");
    Sync::name(returned_, "returned");
    for (std::size_t id = connections; id-- > 0;) idle_.push_back(static_cast<std::uint32_t>(id));
  }

  // Borrows a connection, asks, and receives the answer. `awaits` is called wherever a caller would wait for the store or the
  // network; it may throw, which cancels the request there.
  template <class Awaits>
  answer fetch(const answer& question, Awaits awaits) {
    loan borrowed(*this, question);
    awaits();
    borrowed.ask();
    awaits();
    return borrowed.receive();
  }

 private:
  using guard = typename Sync::template unique_lock<typename Sync::mutex>;
  struct connection {
    typename Sync::shadow guard;
    std::deque<answer, typename Sync::template allocator<answer>> stream;  // answers nobody has received
  };

  class loan {
   public:
    loan(connection_pool& pool, const answer& question) : pool_(pool), question_(question), id_(pool.borrow()) {}
    loan(const loan&) = delete;
    loan& operator=(const loan&) = delete;
    ~loan() { pool_.give_back(id_, question_.request, outstanding_); }

    void ask() {
      connection& mine = pool_.connections_[id_];
      mine.guard.write();
      mine.stream.push_back(question_);
      outstanding_ = true;
      pool_.listener_.asked(id_, question_);
    }
    answer receive() {
      connection& mine = pool_.connections_[id_];
      mine.guard.write();
      const answer received = mine.stream.front();
      mine.stream.pop_front();
      outstanding_ = false;
      pool_.listener_.answered(id_, question_, received);
      return received;
    }

   private:
    connection_pool& pool_;
    answer question_;
    std::uint32_t id_;
    bool outstanding_ = false;
  };

  std::uint32_t borrow() {
    guard lock(mutex_);
    while (idle_.empty()) returned_.wait(lock);
    const std::uint32_t id = idle_.back();
    idle_.pop_back();
    return id;
  }
  void give_back(std::uint32_t id, std::uint32_t request, bool outstanding) {
    const guard lock(mutex_);
    if (outstanding && policy_.closes_unanswered()) {
      connection& broken = connections_[id];
      broken.guard.write();
      broken.stream.clear();  // another one takes its place
      listener_.closed(id, request);
    } else {
      listener_.given_back(id, request);
    }
    idle_.push_back(id);
    returned_.notify_one();
  }

  const connection_policy& policy_;
  connection_listener& listener_;
  typename Sync::mutex mutex_;
  typename Sync::condition_variable returned_;
  fixed_array<Sync, connection> connections_;
  std::vector<std::uint32_t, typename Sync::template allocator<std::uint32_t>> idle_;
};

}  // namespace kvrace::cache

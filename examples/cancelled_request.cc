// A request that is cancelled between sending its command and reading the reply gives its connection back to the pool with that
// reply unread: the next request on it reads what belongs to another user. In March 2023 users saw other people's conversation
// titles in this way (redis-py #2624, CVE-2023-28858).
#include <deque>
#include <optional>

#include "tell.h"

namespace {

template <class Sync, bool Repaired>
class client_pool {
 public:
  // nullopt if the request was cancelled, which the run decides. The server answers each command with the key it names, in order.
  std::optional<int> fetch(int key, kvrace::run& run, bool cancellable) {
    const std::lock_guard<typename Sync::mutex> in_use(one_connection_);
    unread_replies_.push_back(key);
    if (cancellable && run.flip()) {
      if (Repaired) unread_replies_.clear();  // a new connection takes its place
      return std::nullopt;
    }
    const int reply = unread_replies_.front();
    unread_replies_.pop_front();
    return reply;
  }

 private:
  typename Sync::mutex one_connection_;
  std::deque<int> unread_replies_;  // guarded by one_connection_
};

template <bool Repaired>
void two_users(kvrace::run& run) {
  client_pool<kvrace::sync, Repaired> pool;
  for (const int user : {1, 2})
    run.spawn("user", [&pool, &run, user] {
      const auto reply = pool.fetch(user, run, user == 1);
      run.require(!reply || *reply == user, "a reply belongs to who reads it");
    });
  run.join_all();
}

}  // namespace

int main() {
  return kvrace::example::tell({.title = "cancelled_request",
                                .bug = "a cancelled request gives its connection back with a reply unread",
                                .repair = "a connection with an unread reply is not used again",
                                .flawed = two_users<false>,
                                .repaired = two_users<true>,
                                .pinned = "1.2:2,1.2=1"});
}

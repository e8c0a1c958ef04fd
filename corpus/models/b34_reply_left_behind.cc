// B34, cancelled command leaves its reply in the pipe.
// A command was sent and its reply not read when the request was cancelled; the connection goes back to the pool, and whoever
// takes it next reads the reply of another.
#include <deque>

#include "corpus/models/models.h"

namespace kvrace::corpus {

namespace {

struct pooled {
  mutex lock;  // held by who has the connection
  std::deque<int> unread;
};

template <bool Repaired>
void body(run& run) {
  pooled connection;
  for (const int user : {1, 2})
    run.spawn("user", [&, user] {
      const lock_guard guard(connection.lock);
      connection.unread.push_back(user);
      if (user == 1 && run.flip()) {  // cancelled
        if (Repaired) connection.unread.clear();
        return;
      }
      const int reply = connection.unread.front();
      connection.unread.pop_front();
      hold(run, reply == user, "pollution", "a reply is read by another than it is for");
    });
  run.join_all();
}

}  // namespace

const bug b34{.id = "B34",
              .title = "cancelled command leaves its reply in the pipe",
              .reports = "redis-py #2624, CVE-2023-28858",
              .oracle = "pollution",
              .flawed = body<false>,
              .repaired = body<true>};

}  // namespace kvrace::corpus

// B34: a request that is cancelled between asking and receiving gives its connection back to the pool as it is (redis-py #2624,
// CVE-2023-28858 and CVE-2023-28859).
//
// The answer is still in the stream. The next borrower receives it in place of his own, and everybody after him is off by one:
// users see what belongs to others.
#pragma once

#include "cache_model/flaws/flaw.h"

namespace kvrace::cache {

class reply_left_behind final : public connection_policy {
 public:
  bool closes_unanswered() const override { return false; }

  static flaw describe() {
    static const reply_left_behind policy;
    return {{.name = "reply_left_behind",
             .seam = "connection",
             .summary = "a cancelled request returns its connection with the answer still to come: the next one receives it",
             .source = "B34",
             .oracle = "correlation",
             .locking = {"mutex", "rwlock", "epoch"}},
            [](seams& seams) { seams.connection = &policy; }};
  }
};

}  // namespace kvrace::cache

// What a flaw's file gives: a description, and how it replaces one policy. A new flaw is one such file and one line in flaws.cc.
#pragma once

#include <kvrace/cache/configuration.h>
#include <kvrace/cache/seams.h>

namespace kvrace::cache {

struct flaw {
  flaw_description description;
  void (*plant)(seams&);
};

}  // namespace kvrace::cache

#include "memory/lifetime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <kvrace/sync.h>

#include "runtime/arena.h"
#include "runtime/recorder.h"

namespace kvrace::detail {

namespace {

lifetime* newest = nullptr;

std::string line_of(site where) {
  const source_site at = to_site(where);
  return at.line == 0 ? std::string("an unknown line") : at.file + ":" + std::to_string(at.line);
}

lifetime* header_of(const void* object) {
  return reinterpret_cast<lifetime*>(static_cast<char*>(const_cast<void*>(object)) - sizeof(lifetime));
}

}  // namespace

void lifetimes_reset() { newest = nullptr; }

run_failure lifetimes_leak() {
  const lifetime* oldest = nullptr;
  for (const lifetime* each = newest; each != nullptr; each = each->next)
    if (each->alive) oldest = each;
  return {"leak", describe(*oldest),
          std::to_string(state.objects_alive) + " made object(s) outlived the run; the first, " + describe(*oldest) + ", was made at " +
              line_of(oldest->made_at),
          {to_site(oldest->made_at)}};
}

void* lifetime_begin(std::size_t bytes, std::size_t alignment, site where) {
  if (state.generation == generation_none) unusable_outside();
  const std::size_t offset = std::max(alignment, sizeof(lifetime));
  char* memory = static_cast<char*>(arena_keep(offset + bytes, std::max(alignment, alignof(lifetime))));
  char* object = memory + offset;
  auto* header = new (object - sizeof(lifetime)) lifetime(where);
  header->bytes = bytes;
  header->next = newest;
  newest = header;
  ++state.objects_alive;
  return object;
}

void lifetime_end(void* object, site where) {
  lifetime* header = header_of(object);
  require_usable(*header, where);
  if (!header->alive) {
    active->fail({"double_destroy", describe(*header),
                  describe(*header) + " is destroyed again; it was destroyed at " + line_of(header->destroyed_at),
                  {to_site(header->destroyed_at), to_site(where)}}, true);
  }
  header->alive = false;
  header->destroyed_at = where;
  --state.objects_alive;
}

void require_alive(const void* object, site where) {
  const lifetime* header = header_of(object);
  require_usable(*header, where);
  if (header->alive) return;
  active->fail({"use_after_destroy", describe(*header),
                describe(*header) + " is used after it was destroyed at " + line_of(header->destroyed_at),
                {to_site(header->destroyed_at), to_site(where)}}, true);
}

void unusable_outside() {
  throw std::logic_error("kvrace: a primitive was used outside of a run; primitives work inside check(), prove() and replay() only");
}

void unusable(const object& what, site where) {
  if (state.generation == generation_none) unusable_outside();
  if (what.generation == generation_destroyed) {
    active->fail({"use_after_destroy", describe(what), describe(what) + " is used after it was destroyed", {to_site(where)}}, true);
  }
  active->end_unsound(describe(what) + ", used at " + line_of(where) +
                      ", was not created in this run: create primitives in the body, and let no static hold one");
}

}  // namespace kvrace::detail

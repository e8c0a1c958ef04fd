#include "memory/lifetime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <kvrace/sync.h>

#include "runtime/arena.h"
#include "runtime/instrumentation.h"
#include "runtime/recorder.h"

namespace kvrace::detail {

namespace {

constexpr std::size_t quarantine_bytes_max = std::size_t{1} << 20U;

struct lifetimes {
  lifetime* newest = nullptr;       // of the living
  lifetime* dead_first = nullptr;   // in quarantine
  lifetime* dead_last = nullptr;
  std::size_t dead_bytes = 0;
};
lifetimes all;

void unlink(lifetime* header) {
  (header->previous != nullptr ? header->previous->next : all.newest) = header->next;
  if (header->next != nullptr) header->next->previous = header->previous;
}

void quarantine(lifetime* header) {
  header->next = nullptr;
  (all.dead_last != nullptr ? all.dead_last->next : all.dead_first) = header;
  all.dead_last = header;
  all.dead_bytes += header->block_bytes;
  while (all.dead_bytes > quarantine_bytes_max && all.dead_first != header) {
    lifetime* oldest = all.dead_first;
    all.dead_first = oldest->next;
    all.dead_bytes -= oldest->block_bytes;
    arena_deallocate(oldest->block, oldest->block_bytes);
  }
}

// An access that AddressSanitizer sees, where the engine has caught the program at one.
void touch(const void* object) {
  if (instrumentation::checks_memory && instrumentation::watch_memory) (void)*static_cast<const volatile char*>(object);
}

std::string line_of(site where) {
  const source_site at = to_site(where);
  return at.line == 0 ? std::string("an unknown line") : at.file + ":" + std::to_string(at.line);
}

// Along an execution graph the order in which tasks run is one of many: a use and the destruction must be ordered by
// happens-before.
void note_use(lifetime& header) {
  if (header.uses == nullptr) {
    header.uses = static_cast<clock_value*>(arena_keep(sizeof(clock_value) * tasks_max, alignof(clock_value)));
    std::fill_n(header.uses, tasks_max, 0);
  }
  header.uses[state.slot] = state.current->clock.at[state.slot];
}
void require_uses_before(const lifetime& header, site where) {
  for (unsigned slot = 0; header.uses != nullptr && slot < active->slots(); ++slot) {
    if (header.uses[slot] <= state.current->clock.at[slot]) continue;
    active->fail_and_end([&] {
      return run_failure{"use_after_destroy",
                         describe(header),
                         describe(header) + " is destroyed while '" + active->task_name(slot) +
                             "' may still use it: no happens-before orders the two",
                         {to_site(where)}};
    });
  }
}

lifetime* header_of(const void* object) {
  return reinterpret_cast<lifetime*>(static_cast<char*>(const_cast<void*>(object)) - sizeof(lifetime));
}

}  // namespace

void lifetimes_reset() { all = {}; }

run_failure lifetimes_leak() {
  const lifetime* oldest = all.newest;
  while (oldest->next != nullptr) oldest = oldest->next;
  return {"leak",
          describe(*oldest),
          std::to_string(state.objects_alive) + " made object(s) outlived the run; the first, " + describe(*oldest) +
              ", was made at " + line_of(oldest->made_at),
          {to_site(oldest->made_at)}};
}

void* lifetime_begin(std::size_t bytes, std::size_t alignment, site where) {
  if (state.generation == generation_none) unusable_outside();
  const std::size_t offset = (sizeof(lifetime) + alignment - 1) / alignment * alignment;
  void* block = memory_for(offset + bytes, std::max(alignment, alignof(lifetime)));
  char* object = static_cast<char*>(block) + offset;
  auto* header = new (object - sizeof(lifetime)) lifetime(where);
  header->block = block;
  header->block_bytes = offset + bytes;
  header->next = all.newest;
  if (all.newest != nullptr) all.newest->previous = header;
  all.newest = header;
  ++state.objects_alive;
  return object;
}

void lifetime_end(void* object, site where) {
  lifetime* header = header_of(object);
  require_usable(*header, where);
  if (!header->alive) {
    touch(object);
    active->fail_and_end([&] {
      return run_failure{"double_destroy",
                         describe(*header),
                         describe(*header) + " is destroyed again; it was destroyed at " + line_of(header->destroyed_at),
                         {to_site(header->destroyed_at), to_site(where)}};
    });
  }
  if (state.graph != nullptr) require_uses_before(*header, where);
  header->alive = false;
  header->destroyed_at = where;
  --state.objects_alive;
  unlink(header);
  if (arena.recycles)
    quarantine(header);
  else
    arena_deallocate(header->block, header->block_bytes);
}

void lifetime_over(const void* object, std::size_t bytes) {
  if (instrumentation::watch_memory) instrumentation::poison(object, bytes);
}

void require_alive(const void* object, site where) {
  const lifetime* header = header_of(object);
  require_usable(*header, where);
  if (header->alive) {
    if (state.graph != nullptr) note_use(*header_of(object));
    return;
  }
  touch(object);
  active->fail_and_end([&] {
    return run_failure{"use_after_destroy",
                       describe(*header),
                       describe(*header) + " is used after it was destroyed at " + line_of(header->destroyed_at),
                       {to_site(header->destroyed_at), to_site(where)}};
  });
}

void unusable_outside() {
  throw std::logic_error(
      "kvrace: a primitive was used outside of a run; primitives work inside check(), prove() and replay() only");
}

void unusable(const object& what, site where) {
  if (state.generation == generation_none) unusable_outside();
  if (generation_of(what) == generation_destroyed) {
    active->fail_and_end([&] {
      return run_failure{
          "use_after_destroy", describe(what), describe(what) + " is used after it was destroyed", {to_site(where)}};
    });
  }
  active->end_unsound([&] {
    return describe(what) + ", used at " + line_of(where) +
           ", was not created in this run: create primitives in the body, and let no static hold one";
  });
}

}  // namespace kvrace::detail

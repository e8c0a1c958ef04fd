// task_local: what thread_local is to threads.
#pragma once

#include <array>

#include <kvrace/detail/core.h>
#include <kvrace/primitives/lifetime.h>

namespace kvrace {

// One T for each task, value-initialised when the task first asks for it, destroyed with the task_local. A thread_local variable
// would be shared: all tasks of a run are on one thread.
template <class T>
class task_local {
 public:
  task_local() = default;
  task_local(const task_local&) = delete;
  task_local& operator=(const task_local&) = delete;
  ~task_local() {
    for (T* each : values_)
      if (each != nullptr) {
        each->~T();
        allocator<T>().deallocate(each, 1);
      }
  }

  [[nodiscard]] T& get() {
    T*& mine = values_[detail::current_task_id()];
    if (mine == nullptr) mine = new (allocator<T>().allocate(1)) T();
    return *mine;
  }
  T& operator*() { return get(); }
  T* operator->() { return &get(); }

 private:
  std::array<T*, tasks_max + 1> values_{};  // by task id
};

}  // namespace kvrace

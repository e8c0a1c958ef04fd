#include "linearizability/key_table.h"

#include <utility>

namespace kvrace::detail {

std::size_t key_table::place(const state_key& key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (key.low ^ key.high >> 7U) & mask;
  while (slots_[at].value != 0 && !(slots_[at].key == key)) at = (at + 1) & mask;
  return at;
}

std::uint32_t& key_table::operator[](state_key key) {
  std::size_t at = place(key);
  if (slots_[at].value == 0) {
    if (used_ * 3 >= slots_.size() * 2) {
      grow();
      at = place(key);
    }
    slots_[at].key = key;
    ++used_;
  }
  return slots_[at].value;
}

std::uint32_t key_table::find(state_key key) const { return slots_[place(key)].value; }

void key_table::grow() {
  std::vector<slot> former(slots_.size() * 2);
  std::swap(former, slots_);
  for (const slot& each : former)
    if (each.value != 0) slots_[place(each.key)] = each;
}

}  // namespace kvrace::detail

// Sequential specifications of common objects, for history<>. How to write one of your own: linearizability.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <kvrace/linearizability.h>

namespace kvrace::specs {

template <class Value>
struct variable {
  struct write {
    Value value;
  };
  struct read {};
  using calls = std::variant<write, read>;

  Value value{};
  void apply(const write& call) { value = call.value; }
  Value apply(const read&) const { return value; }
  bool operator==(const variable&) const = default;
};

// First in, first out; popping an empty one returns nothing.
template <class Value>
struct queue {
  struct push {
    Value value;
  };
  struct pop {};
  using calls = std::variant<push, pop>;

  std::deque<Value> values;
  void apply(const push& call) { values.push_back(call.value); }
  std::optional<Value> apply(const pop&) {
    if (values.empty()) return std::nullopt;
    std::optional<Value> first = std::move(values.front());
    values.pop_front();
    return first;
  }
  bool operator==(const queue&) const = default;
};

template <class Key>
struct set {
  struct insert {
    Key key;
  };
  struct erase {
    Key key;
  };
  struct contains {
    Key key;
  };
  using calls = std::variant<insert, erase, contains>;
  static Key partition(const auto& call) { return call.key; }

  bool present = false;
  bool apply(const insert&) { return !std::exchange(present, true); }
  bool apply(const erase&) { return std::exchange(present, false); }
  bool apply(const contains&) const { return present; }
  bool operator==(const set&) const = default;
};

// A cache that says what it evicts: each eviction is a call of the history, made by the task that evicts. A get returns what was
// put last, and nothing after an eviction or an erase, until the next put: nothing stale, nothing foreign, no ghost.
template <class Key, class Value>
struct cache {
  struct put {
    Key key;
    Value value;
  };
  struct get {
    Key key;
  };
  struct erase {
    Key key;
  };
  struct evict {
    Key key;
  };
  using calls = std::variant<put, get, erase, evict>;
  static Key partition(const auto& call) { return call.key; }

  std::optional<Value> value;
  void apply(const put& call) { value = call.value; }
  std::optional<Value> apply(const get&) const { return value; }
  void apply(const erase&) { value.reset(); }
  void apply(const evict&) { value.reset(); }
  bool operator==(const cache&) const = default;
};

// A cache that may drop anything at any time without a word: a get may miss, and a miss is final until the next put.
template <class Key, class Value>
struct lossy_cache {
  struct put {
    Key key;
    Value value;
  };
  struct get {
    Key key;
  };
  struct erase {
    Key key;
  };
  using calls = std::variant<put, get, erase>;
  static Key partition(const auto& call) { return call.key; }

  std::optional<Value> value;
  void apply(const put& call) { value = call.value; }
  std::vector<outcome<std::optional<Value>, lossy_cache>> apply(const get&) const {
    std::vector<outcome<std::optional<Value>, lossy_cache>> allowed{{std::nullopt, {}}};
    if (value) allowed.push_back({value, *this});
    return allowed;
  }
  void apply(const erase&) { value.reset(); }
  bool operator==(const lossy_cache&) const = default;
};

// Exactly the least recently used entry goes, and only when there is no room. One order over all keys: histories do not fall into
// parts, so that checks take longer.
template <class Key, class Value>
struct lru_cache {
  struct put {
    Key key;
    Value value;
  };
  struct get {
    Key key;
  };
  struct erase {
    Key key;
  };
  using calls = std::variant<put, get, erase>;

  std::size_t capacity = 1;
  std::vector<std::pair<Key, Value>> entries = {};  // the most recently used one is the last

  void apply(const put& call) {
    take(call.key);
    if (entries.size() == capacity) entries.erase(entries.begin());
    entries.emplace_back(call.key, call.value);
  }
  std::optional<Value> apply(const get& call) {
    std::optional<Value> found = take(call.key);
    if (found) entries.emplace_back(call.key, *found);
    return found;
  }
  void apply(const erase& call) { take(call.key); }
  bool operator==(const lru_cache&) const = default;

 private:
  std::optional<Value> take(const Key& key) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& each) { return each.first == key; });
    if (found == entries.end()) return std::nullopt;
    std::optional<Value> value = std::move(found->second);
    entries.erase(found);
    return value;
  }
};

}  // namespace kvrace::specs

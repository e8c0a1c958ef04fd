// The members of a plain struct, one by one, so that the calls of a specification need no boilerplate.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace kvrace::detail {

// Stands for a member of any type in an initialiser that is never evaluated.
struct any_field {
  template <class T>
  operator T() const;
};

template <class T, class... Fields>
constexpr std::size_t count_fields() {
  static_assert(sizeof...(Fields) <= 7, "kvrace: a struct with more than 6 members needs add_to() and describe()");
  if constexpr (requires { T{Fields{}..., any_field{}}; })
    return count_fields<T, Fields..., any_field>();
  else
    return sizeof...(Fields);
}

// Of an aggregate with at most 6 members and no base. An array as a member is not supported.
template <class T, class Visit>
void for_each_field(const T& of, Visit visit) {
  constexpr std::size_t count = count_fields<T>();
  if constexpr (count == 1) {
    const auto& [a] = of;
    visit(a);
  } else if constexpr (count == 2) {
    const auto& [a, b] = of;
    visit(a), visit(b);
  } else if constexpr (count == 3) {
    const auto& [a, b, c] = of;
    visit(a), visit(b), visit(c);
  } else if constexpr (count == 4) {
    const auto& [a, b, c, d] = of;
    visit(a), visit(b), visit(c), visit(d);
  } else if constexpr (count == 5) {
    const auto& [a, b, c, d, e] = of;
    visit(a), visit(b), visit(c), visit(d), visit(e);
  } else if constexpr (count == 6) {
    const auto& [a, b, c, d, e, f] = of;
    visit(a), visit(b), visit(c), visit(d), visit(e), visit(f);
  }
}

template <class T>
concept optional_like = requires(const T& value) {
  value.has_value();
  *value;
};
template <class T>
concept tuple_like = requires { std::tuple_size<T>::value; };
template <class T>
concept range_like = requires(const T& value) {
  value.begin() != value.end();
  value.size();
};
template <class T>
concept text_like = std::is_convertible_v<const T&, std::string_view>;

}  // namespace kvrace::detail

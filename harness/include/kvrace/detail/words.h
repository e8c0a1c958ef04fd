// Values in words, for findings: put(1, 4), nothing, [1, 2].
#pragma once

#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <kvrace/detail/fields.h>

namespace kvrace::detail {

template <class T>
std::string_view function_name_with() {
  return std::source_location::current().function_name();
}

// Without namespaces and template arguments. g++ and clang write "[with T = a::b; ...]" and "[T = a::b]".
template <class T>
std::string type_name() {
  std::string_view name = function_name_with<T>();
  name.remove_prefix(name.find("T = ") + 4);
  std::size_t begin = 0;
  std::size_t end = 0;
  int nested = 0;  // in template arguments
  for (std::size_t at = 0; at < name.size() && !(nested == 0 && (name[at] == ';' || name[at] == ']')); ++at) {
    nested += name[at] == '<' ? 1 : 0;
    if (nested == 0) end = at + 1;
    if (nested == 0 && name[at] == ':') begin = end;
    nested -= name[at] == '>' ? 1 : 0;
  }
  return std::string(name.substr(begin, end - begin));
}

// A type of your own that is no plain struct has a member `std::string describe() const`; one that is may have it.
template <class T>
std::string in_words(const T& value) {
  const auto list = [](std::string& into, const auto& each) { into += (into.empty() ? "" : ", ") + in_words(each); };
  if constexpr (requires { std::string(value.describe()); }) {
    return value.describe();
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char>) {
    return std::string(1, value);
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else if constexpr (text_like<T>) {
    return std::string(std::string_view(value));
  } else if constexpr (optional_like<T>) {
    return value.has_value() ? in_words(*value) : "nothing";
  } else if constexpr (range_like<T>) {
    std::string text;
    for (const auto& each : value) list(text, each);
    return "[" + text + "]";
  } else if constexpr (tuple_like<T>) {
    std::string text;
    std::apply([&](const auto&... each) { (list(text, each), ...); }, value);
    return "(" + text + ")";
  } else {
    std::string text;
    if constexpr (!std::is_empty_v<T>) for_each_field(value, [&](const auto& each) { list(text, each); });
    return type_name<T>() + "(" + text + ")";
  }
}

}  // namespace kvrace::detail

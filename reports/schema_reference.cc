// Writes the reference of the members that JSON schemas describe, as Markdown. A member without a description, an optional one
// that does not say what holds without it are errors, and say where.
//   schema_reference TITLE SCHEMA...    A page of this title, with a chapter a schema
#include <cctype>
#include <cstdio>
#include <deque>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view definitions = "#/definitions/";

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string quoted(const json& value) { return "`" + (value.is_string() ? value.get<std::string>() : value.dump()) + "`"; }

// As GitHub makes it of a heading.
std::string anchor(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-') {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ') {
      out += '-';
    }
  }
  return out;
}

std::string list(const json& values) {
  std::string out;
  for (const json& value : values) out += (out.empty() ? "" : ", ") + quoted(value);
  return out;
}

// What a value is limited to, beside its type.
std::string range(const json& schema) {
  std::vector<std::string> parts;
  const auto number = [&](const char* key) { return schema.contains(key) ? schema.at(key).dump() : std::string(); };
  const std::string low = number("minimum"), above = number("exclusiveMinimum"), high = number("maximum");
  if (!low.empty() && !high.empty()) parts.push_back(low + " to " + high);
  if (!low.empty() && high.empty()) parts.push_back("from " + low);
  if (!above.empty()) parts.push_back("above " + above + (high.empty() ? "" : ", to " + high));
  if (schema.contains("const")) parts.push_back(quoted(schema.at("const")));
  if (schema.contains("enum")) parts.push_back(list(schema.at("enum")));
  if (schema.contains("pattern")) parts.push_back("as " + quoted(schema.at("pattern")));
  const auto sizes = [&](const char* least, const char* most, const char* what) {
    const std::string from = number(least), to = number(most);
    if (from.empty() && to.empty()) return;
    parts.push_back((from.empty() ? "at most " + to : to.empty() ? "at least " + from : from + " to " + to) + what);
  };
  sizes("minLength", "maxLength", " characters");
  sizes("minItems", "maxItems", " items");
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "; ") + part;
  return out;
}

class reference {
 public:
  // The prefix keeps the headings of several schemas on a page apart.
  reference(json schema, std::string prefix) : schema_(std::move(schema)), prefix_(std::move(prefix)) {}

  std::string text() {
    const std::string title = schema_.at("title");
    page_ = "## " + title + "\n\n" + schema_.value("description", "") + "\n";
    if (schema_.contains("properties")) {
      pending_.push_back({title, &schema_, true});
    } else {
      const json& first = schema_.at("anyOf").at(0);  // the other one is an array of them
      open(first, title);
    }
    for (; !pending_.empty(); pending_.pop_front()) section(pending_.front());
    return page_;
  }
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  struct waiting {
    std::string heading;
    const json* object;
    bool root = false;
  };

  void complain(const std::string& where, const std::string& what) { complaints_.push_back(where + ": " + what); }

  // The definition that a member refers to, and itself if it refers to none. `name` becomes that of the definition.
  const json& resolved(const json& member, std::string& name) const {
    const json* at = &member;
    while (true) {
      const json* next = at->contains("$ref") ? at : at->contains("allOf") ? &at->at("allOf").at(0) : nullptr;
      if (next == nullptr) return *at;
      name = next->at("$ref").get<std::string>().substr(definitions.size());
      at = &schema_.at("definitions").at(name);
    }
  }

  static bool has_section(const json& schema) { return schema.contains("properties") || schema.contains("anyOf"); }

  // A link to the section of an object, which is written once.
  std::string open(const json& member, std::string name) {
    const json& object = resolved(member, name);
    if (!prefix_.empty() && name != prefix_ && !name.starts_with(prefix_ + ".")) name = prefix_ + "." + name;
    if (opened_.insert(name).second) pending_.push_back({name, &object});
    return "[" + name + "](#" + anchor(name) + ")";
  }

  std::string type(const json& member, const std::string& path) {
    std::string name = path;
    const json& schema = resolved(member, name);
    if (schema.contains("anyOf") || (schema.contains("properties") && !schema.contains("items"))) {
      const bool or_null = schema.contains("type") && schema.at("type").is_array();
      return open(member, path) + (or_null ? " or null" : "");
    }
    std::string out;
    if (schema.contains("type")) {
      for (const json& one : schema.at("type").is_array() ? schema.at("type") : json::array({schema.at("type")}))
        out += (out.empty() ? "" : " or ") + one.get<std::string>();
    }
    std::string limits = range(schema);
    if (schema.contains("items")) {
      out += (limits.empty() ? "" : ", " + limits + ",") + " of " + element(schema.at("items"), path + "[]");
      limits.clear();
    }
    if (schema.contains("additionalProperties") && schema.at("additionalProperties").is_object())
      out += ", each value " + element(schema.at("additionalProperties"), path + "[]");
    return out + (limits.empty() || out.empty() ? "" : ": ") + limits;
  }

  // What an array holds: an object among its choices has a section of its own.
  std::string element(const json& member, const std::string& path) {
    std::string name = path;
    const json& schema = resolved(member, name);
    if (schema.contains("properties") && schema.at("type").is_array())
      return open(member, path) + ", or integer: " + range(schema);
    return type(member, path);
  }

  void section(const waiting& at) {
    const json& object = *at.object;
    if (!at.root) page_ += "\n### " + at.heading + "\n\n" + object.value("description", "") + "\n";
    if (!object.contains("properties")) return;
    const json required = object.value("required", json::array());
    json choices = json::array();
    if (object.contains("oneOf")) {
      for (const json& one : object.at("oneOf"))
        for (const json& member : one.at("required")) choices.push_back(member);
    } else if (object.value("maxProperties", 0) == 1) {
      for (const auto& member : object.at("properties").items()) choices.push_back(member.key());
    }
    if (!choices.empty()) page_ += "\nExactly one of " + list(choices) + ".\n";
    page_ += "\n| member | must be there | value | meaning |\n|---|---|---|---|\n";
    for (const auto& [name, member] : object.at("properties").items()) {
      const bool needed = has(required, name);
      const bool chosen = has(choices, name);
      row(at, name, member, needed ? "yes" : chosen ? "one of them" : "", !needed && !chosen);
    }
  }

  static bool has(const json& values, const std::string& name) {
    for (const json& value : values)
      if (value == name) return true;
    return false;
  }

  void row(const waiting& at, const std::string& name, const json& member, const std::string& presence, bool optional) {
    const std::string path = at.root ? name : at.heading + "." + name;
    std::string definition;
    const json& schema = resolved(member, definition);
    std::string meaning = member.value("description", schema.value("description", ""));
    if (meaning.empty()) complain(path, "expected a description");
    if (optional && !says_without(meaning)) complain(path, "expected a description that says what holds without it: Default ...");
    page_ += "| `" + name + "` | " + presence + " | " + cell(type(member, path)) + " | " + cell(meaning) + " |\n";
  }

  static bool says_without(const std::string& meaning) {
    for (const char* word : {"efault", "ithout", "bsent", "equired there", "Not read", "For readers"})
      if (meaning.find(word) != std::string::npos) return true;
    return false;
  }

  json schema_;
  std::string prefix_;
  std::string page_;
  std::deque<waiting> pending_;
  std::set<std::string> opened_;
  std::vector<std::string> complaints_;
};

}  // namespace

int main(int count, char** arguments) {
  int code = 0;
  std::printf("# %s\n", count > 1 ? arguments[1] : "");
  std::printf(
      "\nWritten by `scripts/reference_test --update` from the schemas in `reports/schema`, which say the same for programs. The "
      "end of a\n"
      "name is its unit: `_ns`, `_us`, `_ms`, `_s`, `_bytes`. What need not be there says what holds without it.\n");
  for (int i = 2; i < count; ++i) {
    try {
      const std::string path = arguments[i];
      const std::string name = path.substr(path.rfind('/') + 1);
      std::ifstream file(path);
      reference page(json::parse(file), count > 3 ? name.substr(0, name.find('.')) : "");
      std::printf("\n%s", page.text().c_str());
      for (const std::string& complaint : page.complaints()) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), complaint.c_str());
        code = 1;
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", arguments[i], error.what());
      code = 1;
    }
  }
  return code;
}

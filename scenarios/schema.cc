// valijson decides whether a document is valid. Its messages name constraints, not expectations, so an invalid document is
// walked a second time beside the schema, by the keywords the schema uses, to say what was expected where.
#include "scenarios/schema.h"

#include <algorithm>
#include <string>
#include <vector>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include "reports/plain_text.h"
#include "reports/unicode.h"
#include "scenarios/embedded.h"

namespace kvrace::scenarios {
namespace {

using nlohmann::json;

// "a string", "-3", "an object": what stands where something else was expected.
std::string given(const json& value) {
  switch (value.type()) {
    case json::value_t::null: return "null";
    case json::value_t::object: return "an object";
    case json::value_t::array: return "an array";
    case json::value_t::string: return "'" + reports::excerpt(value.get_ref<const std::string&>(), 60) + "'";
    default: return value.dump();
  }
}

std::string counted(const json& count, const char* thing) { return count.dump() + " " + thing + (count == 1 ? "" : "s"); }

bool has_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return false;
}

std::string with_article(const std::string& type) {
  return (type == "object" || type == "array" || type == "integer" ? "an " : "a ") + type;
}

// Of one type of those that the schema allows.
std::string wanted(const json& schema, const std::string& type) {
  std::string text = with_article(type);
  if (type != "integer" && type != "number") return text;
  if (schema.contains("exclusiveMinimum")) text += " above " + schema["exclusiveMinimum"].dump();
  if (schema.contains("minimum")) text += " from " + schema["minimum"].dump();
  if (schema.contains("maximum")) text += (schema.contains("minimum") ? " to " : " and up to ") + schema["maximum"].dump();
  return text;
}

// "an integer from 1 to 64", "a string or an array", "one of proved, exhausted, not_found"
std::string wanted(const json& schema) {
  if (schema.contains("enum")) return "one of " + reports::listed(schema["enum"].get<std::vector<std::string>>());
  const json& type = schema["type"];
  if (type.is_string()) return wanted(schema, type.get<std::string>());
  std::string text;
  for (const json& each : type) text += (text.empty() ? "" : " or ") + wanted(schema, each.get<std::string>());
  return text;
}

class explainer {
 public:
  explicit explainer(const json& root) : root_(root) {}

  std::optional<input_error> explain(const json& value, const json& unresolved, const std::string& pointer) const {
    const json& schema = resolve(unresolved);
    if (!type_fits(value, schema) || !range_fits(value, schema) || !enumeration_fits(value, schema)) {
      std::string expected = "expected " + wanted(schema) + ", not " + given(value);
      if (schema.contains("enum") && value.is_string())
        expected += reports::suggestion(value.get<std::string>(), schema["enum"].get<std::vector<std::string>>());
      return input_error{pointer, std::move(expected)};
    }
    if (value.is_object()) return explain_object(value, schema, pointer);
    if (value.is_array()) return explain_array(value, schema, pointer);
    if (value.is_string()) return explain_string(value, schema, pointer);
    return std::nullopt;
  }

 private:
  const json& resolve(const json& schema) const {
    if (!schema.contains("$ref")) return schema;
    return root_.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1)));
  }

  static bool type_fits(const json& value, const json& schema) {
    const json& type = schema["type"];
    if (type.is_string()) return has_type(value, type.get<std::string>());
    return std::any_of(type.begin(), type.end(), [&](const json& each) { return has_type(value, each.get<std::string>()); });
  }

  static bool range_fits(const json& value, const json& schema) {
    if (!value.is_number()) return true;
    if (schema.contains("minimum") && value < schema["minimum"]) return false;
    if (schema.contains("exclusiveMinimum") && value <= schema["exclusiveMinimum"]) return false;
    return !schema.contains("maximum") || value <= schema["maximum"];
  }

  static bool enumeration_fits(const json& value, const json& schema) {
    if (!schema.contains("enum")) return true;
    return std::find(schema["enum"].begin(), schema["enum"].end(), value) != schema["enum"].end();
  }

  std::optional<input_error> explain_object(const json& value, const json& schema, const std::string& pointer) const {
    std::vector<std::string> names;
    if (schema.contains("properties"))
      for (const auto& [name, unused] : schema["properties"].items()) names.push_back(name);
    for (const auto& [name, unused] : value.items()) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      const std::string keys = names.empty() ? "expected no key here" : "expected one of the keys " + reports::listed(names);
      return input_error{reports::pointer_to(pointer, name), keys + reports::suggestion(name, names)};
    }
    for (const json& name : schema.value("required", json::array())) {
      if (!value.contains(name.get<std::string>()))
        return input_error{pointer, "expected the key '" + name.get<std::string>() + "'"};
    }
    if (std::optional<input_error> error = explain_alternatives(value, schema, pointer)) return error;
    if (value.size() < schema.value("minProperties", std::size_t{0}) ||
        value.size() > schema.value("maxProperties", value.size())) {
      const char* const how_many = schema.contains("maxProperties") ? "exactly one" : "at least one";
      return input_error{pointer, std::string("expected ") + how_many + " of the keys " + reports::listed(names)};
    }
    for (const auto& [name, member] : value.items()) {
      if (std::optional<input_error> error = explain(member, schema["properties"][name], reports::pointer_to(pointer, name)))
        return error;
    }
    return std::nullopt;
  }

  // oneOf is used for keys that exclude each other.
  static std::optional<input_error> explain_alternatives(const json& value, const json& schema, const std::string& pointer) {
    if (!schema.contains("oneOf")) return std::nullopt;
    std::vector<std::string> names;
    for (const json& alternative : schema["oneOf"]) names.push_back(alternative["required"][0].get<std::string>());
    const auto present = std::count_if(names.begin(), names.end(), [&](const std::string& name) { return value.contains(name); });
    if (present == 1) return std::nullopt;
    return input_error{pointer, "expected exactly one of the keys " + reports::listed(names)};
  }

  std::optional<input_error> explain_array(const json& value, const json& schema, const std::string& pointer) const {
    if (value.size() < schema.value("minItems", std::size_t{0}))
      return input_error{pointer,
                         "expected at least " + counted(schema["minItems"], "item") + ", not " + std::to_string(value.size())};
    if (value.size() > schema.value("maxItems", value.size()))
      return input_error{pointer,
                         "expected at most " + counted(schema["maxItems"], "item") + ", not " + std::to_string(value.size())};
    for (std::size_t index = 0; index < value.size(); ++index) {
      if (std::optional<input_error> error = explain(value[index], schema["items"], reports::pointer_to(pointer, index)))
        return error;
    }
    return std::nullopt;
  }

  static std::optional<input_error> explain_string(const json& value, const json& schema, const std::string& pointer) {
    std::size_t characters = 0;
    for (std::string_view rest = value.get_ref<const std::string&>(); !rest.empty(); ++characters)
      rest.remove_prefix(reports::decode(rest)->length);  // parse_json lets no invalid UTF-8 through
    if (characters < schema.value("minLength", std::size_t{0}))
      return input_error{pointer, "expected a string that is not empty"};
    if (characters > schema.value("maxLength", characters))
      return input_error{pointer,
                         "expected at most " + counted(schema["maxLength"], "character") + ", not " + std::to_string(characters)};
    if (schema.contains("pattern") && !is_task_name(value.get_ref<const std::string&>()))
      return input_error{pointer, "expected 1 to 32 letters, digits, '_', '-' or '.', not " + given(value)};
    return std::nullopt;
  }

  // The schema's only pattern.
  static bool is_task_name(const std::string& text) {
    static constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    return !text.empty() && text.size() <= 32 && text.find_first_not_of(allowed) == std::string::npos;
  }

  const json& root_;
};

struct parsed_schema {
  parsed_schema() : text(json::parse(scenario_schema())) {
    const valijson::adapters::NlohmannJsonAdapter adapter(text);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, schema);
  }
  json text;
  valijson::Schema schema;
};

}  // namespace

std::optional<input_error> check_schema(const json& document) {
  static const parsed_schema parsed;
  const valijson::adapters::NlohmannJsonAdapter adapter(document);
  valijson::ValidationResults mismatches;
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  if (validator.validate(parsed.schema, adapter, &mismatches)) return std::nullopt;
  std::optional<input_error> error = explainer(parsed.text).explain(document, parsed.text, "");
  if (!error) {
    valijson::ValidationResults::Error first;
    mismatches.popError(first);
    error = input_error{"", first.description};
  }
  if (error->where.empty()) error->where = "(root)";
  return error;
}

}  // namespace kvrace::scenarios

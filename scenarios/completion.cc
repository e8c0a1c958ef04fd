#include "scenarios/completion.h"

#include <algorithm>

namespace kvrace::scenarios {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// In single quotes, for all three shells.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "’" : std::string(1, c);
  return out + "'";
}

// The first sentence, or what stands before its first clause, if that is enough.
std::string brief(const std::string& description) {
  std::string text = description.substr(0, description.find_first_of(".;"));
  return text.substr(0, text.find(": "));
}

std::vector<std::string> command_names(std::span<const command_entry> table) {
  std::vector<std::string> names;
  for (const command_entry& each : table.subspan(1)) names.push_back(each.name);
  return names;
}

std::vector<std::string> option_names(const command_entry& command) {
  std::vector<std::string> names;
  for (const option_entry& each : command.options)
    if (!each.positional) names.push_back(each.name);
  return names;
}

// The distinct values that options and arguments of any command have.
std::vector<option_entry> options_by_value(std::span<const command_entry> table) {
  std::vector<option_entry> all;
  for (const command_entry& command : table)
    for (const option_entry& option : command.options)
      if (!option.value.empty() && !option.positional && std::ranges::find(all, option.name, &option_entry::name) == all.end())
        all.push_back(option);
  return all;
}

std::string bash_values(const std::string& value) {
  const std::vector<std::string> values = values_of(value);
  std::string text;
  if (!values.empty()) text = "compgen -W " + quoted(joined(values)) + " -- \"$word\"";
  if (takes_file(value)) text += std::string(text.empty() ? "" : "; ") + "compgen -f -- \"$word\"";
  return text.empty() ? "return" : "mapfile -t COMPREPLY < <(" + text + ")";
}

std::string bash_script(std::span<const command_entry> table) {
  std::string text =
      "# bash completion of kvrace: kvrace completion bash >/etc/bash_completion.d/kvrace\n"
      "_kvrace() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n    mapfile -t COMPREPLY < <(compgen -W " +
      quoted(joined(command_names(table)) + " " + joined(option_names(table.front()))) +
      " -- \"$word\")\n    return\n  fi\n  case $previous in\n";
  for (const option_entry& option : options_by_value(table))
    text += "    " + option.name + ") " + bash_values(option.value) + "; return ;;\n";
  text += "  esac\n  case ${COMP_WORDS[1]} in\n";
  for (const command_entry& command : table.subspan(1)) {
    text += "    " + command.name + ")\n      if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W " +
            quoted(joined(option_names(command))) + " -- \"$word\"); return; fi\n";
    for (const option_entry& option : command.options)
      if (option.positional) text += "      " + bash_values(option.value) + "\n";
    text += "      ;;\n";
  }
  return text + "  esac\n}\ncomplete -o filenames -F _kvrace kvrace\n";
}

// Colons and brackets divide the parts of a zsh specification.
std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_values(const std::string& value) {
  const std::vector<std::string> values = values_of(value);
  if (!values.empty() && takes_file(value))
    return "_alternative \"words:" + value + ":(" + joined(values) + ")\" \"files:file:_files\"";
  if (!values.empty()) return "(" + joined(values) + ")";
  return takes_file(value) ? "_files" : "";
}

std::string zsh_script(std::span<const command_entry> table) {
  std::string text =
      "#compdef kvrace\n# zsh completion of kvrace: a file _kvrace in a folder of $fpath\n_kvrace() {\n  local -a commands=(\n";
  for (const command_entry& command : table.subspan(1))
    text += "    " + quoted(zsh_escaped(command.name) + ":" + zsh_escaped(brief(command.description))) + "\n";
  text +=
      "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n  shift words\n  ((CURRENT--))\n"
      "  case $words[1] in\n";
  for (const command_entry& command : table.subspan(1)) {
    text += "    " + command.name + ") _arguments";
    for (const option_entry& option : command.options) {
      const std::string values = zsh_values(option.value);
      const std::string specification = option.positional ? std::string(option.repeated ? "*" : "") + ":" + option.value + ":" +
                                                                (values.starts_with("_alt") ? "{" + values + "}" : values)
                                        : option.value.empty() ? option.name + "[" + zsh_escaped(brief(option.description)) + "]"
                                                               : option.name + "[" + zsh_escaped(brief(option.description)) +
                                                                     "]:" + option.value + ":" + values;
      text += " \\\n      " + quoted(specification);
    }
    text += " ;;\n";
  }
  return text + "  esac\n}\nif [[ $funcstack[1] == _kvrace ]]; then _kvrace \"$@\"; else compdef _kvrace kvrace; fi\n";
}

std::string fish_script(std::span<const command_entry> table) {
  std::string text =
      "# fish completion of kvrace: kvrace completion fish >~/.config/fish/completions/kvrace.fish\ncomplete -c kvrace -f\n";
  for (const command_entry& command : table.subspan(1))
    text += "complete -c kvrace -n __fish_use_subcommand -a " + command.name + " -d " + quoted(brief(command.description)) + "\n";
  for (const command_entry& command : table.subspan(1)) {
    for (const option_entry& option : command.options) {
      text += "complete -c kvrace -n '__fish_seen_subcommand_from " + command.name + "'";
      if (!option.positional) text += " -l " + option.name.substr(2) + (option.value.empty() ? "" : " -r");
      if (const std::vector<std::string> values = values_of(option.value); !values.empty())
        text += " -a " + quoted(joined(values));
      if (takes_file(option.value)) text += " -F";
      text += " -d " + quoted(brief(option.description)) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell, std::span<const command_entry> table) {
  if (shell == "bash") return bash_script(table);
  if (shell == "zsh") return zsh_script(table);
  if (shell == "fish") return fish_script(table);
  return "";
}

}  // namespace kvrace::scenarios

#include "scenarios/man_page.h"

#include <sstream>

#include "reports/report.h"

namespace kvrace::scenarios {
namespace {

// Text that means itself to roff; for one line of a page.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string invocation(const command_entry& command) {
  std::string text = ".B kvrace " + escaped(command.name) + "\n";
  bool options = false;
  for (const option_entry& option : command.options) options = options || !option.positional;
  if (options) text += "[\\fIoptions\\fR]\n";
  for (const option_entry& option : command.options) {
    if (!option.positional) continue;
    const std::string name = "\\fI" + escaped(option.value) + "\\fR" + (option.repeated ? "..." : "");
    text += (option.required ? name : "[" + name + "]") + "\n";
  }
  return text;
}

// Laid out by whoever wrote it, with headings that end in a colon.
std::string laid_out(const std::string& footer) {
  std::string text;
  std::istringstream lines(footer);
  bool open = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() && !open) continue;
    if (!open) text += ".PP\n.nf\n";
    open = true;
    text += line.empty() ? ".sp\n" : escaped(line) + "\n";
  }
  while (text.ends_with(".sp\n")) text.erase(text.size() - 4);
  return open ? text + ".fi\n" : text;
}

std::string options_of(const command_entry& command) {
  std::string text;
  for (const option_entry& option : command.options) {
    text += ".TP\n";
    text += option.positional ? "\\fI" + escaped(option.value) + "\\fR\n"
                              : "\\fB" + escaped(option.name) + "\\fR" +
                                    (option.value.empty() ? "" : " \\fI" + escaped(option.value) + "\\fR") + "\n";
    text += escaped(option.description) + ".\n";
  }
  return text;
}

}  // namespace

std::string man_page(std::span<const command_entry> table) {
  const command_entry& itself = table.front();
  const std::string version = "kvrace " + reports::this_build().project_version;
  std::string text =
      ".TH KVRACE 1 \"\" \"" + escaped(version) +
      "\" \"User Commands\"\n.SH NAME\nkvrace \\- deterministic concurrency stress tests for prefix caches\n.SH SYNOPSIS\n";
  for (std::size_t i = 1; i < table.size(); ++i) text += (i == 1 ? "" : ".br\n") + invocation(table[i]);
  text +=
      ".SH DESCRIPTION\n"
      "A scheduler owns every interleaving of the code under test: the same scenario and seed give the same run, a finding ends "
      "with\n"
      "the line that repeats it, and a verdict says exactly what was explored.\n" +
      options_of(itself) + laid_out(itself.footer) + ".SH COMMANDS\n";
  for (const command_entry& command : table.subspan(1))
    text += ".SS " + escaped(command.name) + "\n" + escaped(command.description) + ".\n" + options_of(command) +
            laid_out(command.footer);
  return text +
         ".SH ENVIRONMENT\n"
         ".TP\n\\fBNO_COLOR\\fR\nIf it is set and not empty, there are no colours.\n"
         ".TP\n\\fBCLICOLOR_FORCE\\fR\nIf it is set, and neither empty nor 0, there are colours where there is no terminal, "
         "too.\n";
}

}  // namespace kvrace::scenarios

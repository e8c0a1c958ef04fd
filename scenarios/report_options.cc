#include "scenarios/report_options.h"

#include <iostream>

#include <CLI/CLI.hpp>

#include "reports/input_error.h"
#include "reports/plain_text.h"
#include "reports/report.h"
#include "scenarios/command_table.h"
#include "scenarios/commands.h"
#include "scenarios/completion.h"
#include "scenarios/man_page.h"
#include "scenarios/outcome.h"
#include "scenarios/report_commands.h"

namespace kvrace::scenarios {
namespace {

std::string report_footer() {
  std::string text = "\nFormats, and the extension that names each:\n";
  for (const reports::format& each : reports::formats())
    text += "  " + reports::fit(each.name, 12) + reports::fit(each.extension, 14) + std::string(each.summary) + "\n";
  return text + R"(
Examples:
  kvrace report r.json                        the text of a stored report
  kvrace report r.json --out r.sarif          for code scanning
  kvrace report r.json --format github        annotations, for the output of a job
  kvrace report part*.json --merge --out r.json
                                              what the parts of 'run --shard' come to

Exit codes: 0 written, 64 bad input or usage, 74 the output could not be written; with
--exit-code, those of the commands that wrote the reports.
)";
}

constexpr const char* diff_footer = R"(
Example:
  kvrace diff main.json branch.json

Exit codes: 0 nothing is worse, 1 a new finding that its scenario does not expect, 2
less is shown: a weaker verdict or a scenario that has gone, 3 a verdict that means
nothing any more, 64 bad input or usage. The worst counts, in the order 3, 1, 2, 0.
)";

constexpr const char* completion_footer = R"(
Example:
  source <(kvrace completion bash)
)";

constexpr const char* man_footer = R"(
Example:
  kvrace man | man -l -
)";

}  // namespace

void report_options::declare(CLI::App& app) {
  report_ = app.add_subcommand("report", "Write stored reports in another format");
  report_->add_option("REPORT", files_, "JSON reports, of this version or an older one")->required();
  report_->add_option("--format", format_, "How to write; without it, as the extension of --out says, else text")
      ->option_text("FORMAT");
  report_->add_option("--out", out_, "Where to write, instead of standard output")->option_text("FILE");
  report_->add_flag("--merge", merge_, "The reports are all parts of one 'run --shard' or 'prove --shard': put them together")
      ->disable_flag_override();
  report_->add_flag("--exit-code", exit_code_, "Exit as the commands did that wrote the reports: the worst counts")
      ->disable_flag_override();
  report_->add_flag("--verbose", verbose_, "Text: fold no trace and cut no list")->disable_flag_override();
  report_->footer(report_footer());

  diff_ = app.add_subcommand("diff", "Say what is new, gone and changed between two reports");
  diff_->add_option("BEFORE", before_, "A JSON report")->required();
  diff_->add_option("AFTER", after_, "A JSON report")->required();
  diff_->add_flag("--json", json_, "Write JSON")->disable_flag_override();
  diff_->footer(diff_footer);

  completion_ = app.add_subcommand("completion", "Write a script that completes this command line in a shell");
  completion_->add_option("SHELL", shell_, "bash, zsh or fish")->required();
  completion_->footer(completion_footer);

  man_ = app.add_subcommand("man", "Write the manual, for man(1)");
  man_->footer(man_footer);
}

std::optional<int> report_options::dispatch(const CLI::App& app) const {
  if (report_->parsed()) {
    if (out_ && out_->empty()) throw usage_error("--out: expected the name of a file");
    if (format_ && format_->empty()) throw usage_error("--format: expected the name of a format");
    return run_report({.files = files_,
                       .format = format_.value_or(""),
                       .out = out_.value_or(""),
                       .merge = merge_,
                       .exit_code = exit_code_,
                       .style = {.verbose = verbose_}});
  }
  if (diff_->parsed()) return run_diff({.before = before_, .after = after_, .json = json_});
  if (completion_->parsed()) {
    const std::string script = completion_script(shell_, command_table(app));
    if (script.empty())
      throw usage_error("SHELL: expected one of " + reports::listed(values_of("SHELL")) + ", not '" +
                        reports::excerpt(shell_, 60) + "'" + reports::suggestion(shell_, values_of("SHELL")));
    std::cout << script;
    return exit_as_expected;
  }
  if (man_->parsed()) {
    std::cout << man_page(command_table(app));
    return exit_as_expected;
  }
  return std::nullopt;
}

}  // namespace kvrace::scenarios

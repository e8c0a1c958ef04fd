#include "scenarios/command_line.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "reports/input_error.h"
#include "reports/plain_text.h"
#include "reports/report.h"
#include "scenarios/commands.h"
#include "scenarios/memory_command.h"
#include "scenarios/option_values.h"
#include "scenarios/outcome.h"
#include "scenarios/report_options.h"
#include "scenarios/sweep_arguments.h"
#include "scenarios/trace_arguments.h"

namespace kvrace::scenarios {
namespace {

constexpr const char* exit_codes = R"(
Exit codes: 0 as the scenario expects, 1 a violation it does not expect, 2 what it
expects was not shown, 3 the run means nothing, 64 bad input or usage, 70 internal
error, 74 no more than that the output could not be written. Of several scenarios the
worst code counts, in the order 70, 3, 1, 2, 74, 0.
)";

constexpr const char* main_examples = R"(
Examples:
  kvrace list                      what there is
  kvrace run 1                     reproduce the incident
  kvrace run --all --report r.json all built-in scenarios, with a report
  kvrace prove my_scenario.json    explore every interleaving
  kvrace replay r.json             repeat the first finding of a report
  kvrace shrink r.json             the smallest scenario and schedule that show it
  kvrace report r.json --out r.sarif
                                   the same report for code scanning; and other formats
  kvrace diff old.json new.json    what is new, gone and changed)";

constexpr const char* run_examples = R"(
Examples:
  kvrace run 1                     a built-in scenario by number
  kvrace run my.json --seed 7 --runs 100000
  kvrace run my.json --time 60 --report out.json
  kvrace run --all)";

constexpr const char* prove_examples = R"(
Examples:
  kvrace prove 2
  kvrace prove my.json --preemptions 3 --time 600 --report out.json
  kvrace prove my.json --states 50000000
  kvrace prove my.json --memory-model rc11 --jobs 2 --checkpoint proof.ckpt)";

constexpr const char* shrink_examples = R"(
Examples:
  kvrace shrink out.json           the first finding of a report, made small
  kvrace shrink out.json --finding 2 --runs 1000000 --report small.json
)";

constexpr const char* replay_examples = R"(
Examples:
  kvrace replay out.json           the first finding of a report
  kvrace replay out.json --finding 2
  kvrace replay out.json --finding 2 --passing
  kvrace replay my.json --schedule 1.3:2,2.2:1

Exit codes: 0 if the scenario expects what the replay shows, 1 for a violation it
does not expect, 2 if it expects a violation and none is shown, 3 if the schedule
cannot be followed or shows something else than the report says, 64 bad input.
)";

using text_option = std::optional<std::string>;

struct command_line {
  CLI::App app{"kvrace: deterministic concurrency stress tests for prefix caches", "kvrace"};
  CLI::App* run = nullptr;
  CLI::App* prove = nullptr;
  CLI::App* replay = nullptr;
  CLI::App* shrink = nullptr;
  CLI::App* sweep = nullptr;
  CLI::App* trace = nullptr;
  CLI::App* sizes = nullptr;
  CLI::App* list = nullptr;
  CLI::App* corpus = nullptr;

  std::vector<std::string> scenarios;
  bool all = false;
  bool no_shrink = false;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  bool passing = false;
  bool mutants = false;
  bool strategies = false;
  report_options about_reports;
  text_option shard;
  text_option seed, runs, time, memory, preemptions, states, jobs, memory_model, checkpoint, resume, finding, schedule,
      trace_file, report;
  std::string file;
  sweep_arguments sweep_asked;
  trace_arguments trace_asked;
  memory_arguments memory_asked;

  command_line() {
    app.footer(std::string(main_examples) + "\n" + exit_codes);
    app.set_version_flag("--version", "kvrace " + reports::this_build().project_version);
    app.require_subcommand(1);
    declare_run();
    declare_prove();
    declare_replay();
    declare_shrink();
    sweep = sweep_asked.declare(app);
    declare_report(*sweep, "text, a picture or a page if FILE ends in .txt, .svg or .html");
    trace = trace_asked.declare(app);
    declare_report(*trace, "text if FILE ends in .txt");
    about_reports.declare(app);
    sizes = memory_asked.declare(app);
    list = app.add_subcommand("list", "Print scenarios, locking strategies, flaws and oracles");
    list->footer("\nExample:\n  kvrace list\n");
    corpus = app.add_subcommand("corpus", "Find 25 bugs from public reports in small models, and prove their repairs");
    corpus->add_flag("--mutants", mutants, "Find mutants of the simulated cache in its place");
    auto* const compares =
        corpus->add_flag("--strategies", strategies, "Compare strategies on programs of the literature in its place");
    compares->excludes("--mutants");
    corpus->footer("\nExample:\n  kvrace corpus --mutants\n");
  }

 private:
  void declare_report(CLI::App& command, const char* formats =
                                             "what the extension of FILE names, see 'kvrace report --help'; several scenarios "
                                             "become an array") {
    command
        .add_option(
            "--report", report,
            std::string("Write a report: JSON, or ") + formats + ". With - it is JSON on standard output, instead of the text")
        ->option_text("FILE");
    command.add_flag("--json", json, "JSON on standard output, instead of the text: the same as --report -")
        ->disable_flag_override()
        ->excludes("--report");
  }

  void declare_style(CLI::App& command) {
    command.add_flag("--quiet", quiet, "Print only what is not as expected")->disable_flag_override();
    command.add_flag("--verbose", verbose, "Fold no trace and cut no list")->disable_flag_override()->excludes("--quiet");
  }

  void declare_common(CLI::App& command, const char* which_are_all) {
    command.add_option("SCENARIO", scenarios, "Files, or numbers or names of built-in scenarios");
    command.add_flag("--all", all, which_are_all)->disable_flag_override();
    command
        .add_option("--time", time,
                    "Seconds for each scenario. A search it ends is INCOMPLETE, and its counts may differ next time")
        ->option_text("SECONDS");
    command
        .add_option("--states", states,
                    "bounded and prove: budget of visited states, if the scenario has none of its own " +
                        std::to_string(search::default_states_max))
        ->option_text("N");
    command
        .add_option("--shard", shard,
                    "Only part I of N, to which the scenarios are dealt in turn. 'kvrace report --merge' puts the reports of all "
                    "parts together")
        ->option_text("I/N");
    declare_report(command);
    declare_style(command);
  }

  void declare_run() {
    run = app.add_subcommand("run", "Answer the scenarios' questions as they ask them");
    declare_common(*run, "All built-in scenarios");
    run->add_option("--seed", seed, "Seed of the search, not of generated tasks. No effect on the strategies bounded and prove")
        ->option_text("N");
    run->add_option("--runs", runs, "Schedules to sample; for bounded and prove, a budget")->option_text("N");
    declare_jobs(*run);
    declare_trace(*run);
    run->add_flag("--no-shrink", no_shrink, "Show findings as they were found, at once");
    run->footer(std::string(run_examples) + "\n" + exit_codes);
  }

  void declare_trace(CLI::App& command) {
    command.add_option("--trace", trace_file, "The trace that traffic comes from, in the place of the one the scenario names")
        ->option_text("FILE");
  }

  void declare_jobs(CLI::App& command) {
    command
        .add_option(
            "--jobs", jobs,
            "Processes that share the search; the result is the same for any number. Traffic uses one, and so do proofs with a "
            "budget of schedules")
        ->option_text("N");
  }

  void declare_prove() {
    prove = app.add_subcommand("prove", "Explore every interleaving, whatever search the scenarios ask for");
    declare_common(*prove, "All built-in scenarios without traffic");
    prove->add_option("--preemptions", preemptions, "Stop after this many preemptions")->option_text("N");
    prove
        ->add_option("--memory-model", memory_model, "sc or rc11: visit every execution graph under it, instead of interleavings")
        ->option_text("MODEL")
        ->excludes("--preemptions");
    declare_jobs(*prove);
    prove->add_option("--runs", runs, "Budget of executed schedules")->option_text("N");
    prove->add_option("--memory", memory, "MiB that the proof of a scenario may use, in all its processes: a budget like --time")
        ->option_text("MIB");
    prove
        ->add_option("--checkpoint", checkpoint,
                     "Keep in FILE, anew every few seconds, what --resume needs to go on with a proof by execution graphs")
        ->option_text("FILE");
    prove->add_option("--resume", resume, "Go on from a checkpoint of the same proof, to the same counts and certificate")
        ->option_text("FILE");
    prove->footer(std::string(prove_examples) + "\n" + exit_codes);
  }

  void declare_replay() {
    replay = app.add_subcommand("replay", "Repeat a finding and stop at the violation");
    replay->add_option("FILE", file, "A JSON report; with --schedule, a scenario")->required();
    replay->add_option("--finding", finding, "Which finding of the report, from 1")->option_text("N");
    replay->add_option("--schedule", schedule, "The schedule to follow, as a report prints it")
        ->option_text("TEXT")
        ->excludes("--finding");
    replay->add_flag("--passing", passing, "Follow the nearest schedule that passes, where the finding was shrunk")
        ->disable_flag_override()
        ->excludes("--schedule");
    declare_trace(*replay);
    declare_report(*replay);
    declare_style(*replay);
    replay->footer(replay_examples);
  }

  void declare_shrink() {
    shrink = app.add_subcommand("shrink", "Leave out what a finding does not need, and certify what is left");
    shrink->add_option("FILE", file, "A JSON report")->required();
    shrink->add_option("--finding", finding, "Which finding of the report, from 1")->option_text("N");
    shrink->add_option("--runs", runs, "Budget of executed schedules")->option_text("N");
    declare_trace(*shrink);
    declare_report(*shrink);
    declare_style(*shrink);
    shrink->footer(shrink_examples);
  }
};

std::string report_of(const command_line& given) {
  if (given.json) return "-";
  if (given.report && given.report->empty()) throw usage_error("--report: expected the name of a file");
  return given.report.value_or("");
}

std::string trace_file_of(const command_line& given) {
  if (given.trace_file && given.trace_file->empty()) throw usage_error("--trace: expected the name of a file");
  return given.trace_file.value_or("");
}

output_style style_of(const command_line& given) { return {.quiet = given.quiet, .verbose = given.verbose}; }

// "2/4": the part, and how many there are.
std::optional<std::pair<unsigned, unsigned>> shard_of(const command_line& given) {
  if (!given.shard) return std::nullopt;
  constexpr std::uint64_t shards_max = 10'000;
  const std::size_t slash = given.shard->find('/');
  if (slash == std::string::npos)
    throw usage_error("--shard: expected a part and how many there are, as 2/4, not '" + reports::excerpt(*given.shard, 60) +
                      "'");
  const std::uint64_t count = integer_option("--shard", given.shard->substr(slash + 1), 1, shards_max);
  const std::uint64_t index = integer_option("--shard", given.shard->substr(0, slash), 1, count);
  return std::pair(static_cast<unsigned>(index), static_cast<unsigned>(count));
}

search_command searches_of(const command_line& given, bool prove) {
  if (given.all == !given.scenarios.empty())
    throw usage_error("expected scenarios or --all; 'kvrace list' names the built-in ones");
  search_command command;
  command.prove = prove;
  command.scenarios = given.scenarios;
  command.all = given.all;
  if (given.seed) command.seed = integer_option("--seed", *given.seed, 0, integer_max);
  if (given.runs) command.runs = integer_option("--runs", *given.runs, 1, integer_max);
  if (given.memory) command.memory_bytes_max = integer_option("--memory", *given.memory, 1, std::uint64_t{1} << 30U) << 20U;
  if (given.time) command.time_s = seconds_option("--time", *given.time);
  if (given.preemptions)
    command.preemptions_max = static_cast<unsigned>(integer_option("--preemptions", *given.preemptions, 0, 1000));
  if (given.jobs) command.jobs = static_cast<unsigned>(integer_option("--jobs", *given.jobs, 1, 1024));
  if (given.memory_model) {
    if (*given.memory_model != "sc" && *given.memory_model != "rc11")
      throw usage_error("--memory-model: expected sc or rc11, not '" + reports::excerpt(*given.memory_model, 60) + "'" +
                        reports::suggestion(*given.memory_model, {"sc", "rc11"}));
    command.memory_model = *given.memory_model == "sc" ? kvrace::memory_model::sc : kvrace::memory_model::rc11;
  }
  const auto file_option = [](const char* option, const text_option& text) {
    if (text && text->empty()) throw usage_error(std::string(option) + ": expected the name of a file");
    return text.value_or("");
  };
  command.trace = trace_file_of(given);
  command.checkpoint = file_option("--checkpoint", given.checkpoint);
  command.resume = file_option("--resume", given.resume);
  if (given.states) command.states_max = integer_option("--states", *given.states, 1, integer_max);
  command.shrink = !prove && !given.no_shrink;
  command.report = report_of(given);
  command.shard = shard_of(given);
  command.style = style_of(given);
  return command;
}

shrink_command shrink_of(const command_line& given) {
  shrink_command command;
  command.file = given.file;
  if (given.finding) command.finding = integer_option("--finding", *given.finding, 1, integer_max);
  if (given.runs) command.runs = integer_option("--runs", *given.runs, 1, integer_max);
  command.trace = trace_file_of(given);
  command.report = report_of(given);
  command.style = style_of(given);
  return command;
}

int dispatch(const command_line& given) {
  if (const std::optional<int> code = given.about_reports.dispatch(given.app)) return *code;
  if (given.run->parsed()) return run_searches(searches_of(given, false));
  if (given.prove->parsed()) return run_searches(searches_of(given, true));
  if (given.list->parsed()) return run_list();
  if (given.corpus->parsed()) return given.mutants ? run_mutants() : given.strategies ? run_comparison() : run_corpus();
  if (given.sweep->parsed()) return run_sweep(given.sweep_asked.command(report_of(given)));
  if (given.sizes->parsed()) return run_memory(given.memory_asked.question());
  if (given.trace->parsed()) return run_trace(given.trace_asked.command(report_of(given)));
  if (given.shrink->parsed()) return run_shrink(shrink_of(given));
  replay_command command;
  command.file = given.file;
  command.schedule = given.schedule;
  if (given.finding) command.finding = integer_option("--finding", *given.finding, 1, integer_max);
  command.trace = trace_file_of(given);
  command.passing = given.passing;
  command.report = report_of(given);
  command.style = style_of(given);
  return run_replay(command);
}

const std::vector<std::string>& commands() {
  static const std::vector<std::string> names = {"run",    "prove", "replay", "shrink", "sweep",      "trace", "memory",
                                                 "report", "diff",  "list",   "corpus", "completion", "man"};
  return names;
}

// Without this, a mistyped command would be answered by "a subcommand is required".
void check_command(int argument_count, const char* const* arguments) {
  static const std::vector<std::string> others = {"-h", "--help", "--version"};
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (argument_count < 2) throw usage_error("expected one of " + reports::listed(commands()) + "; see 'kvrace --help'");
  const std::string given = arguments[1];
  if (among(commands(), given) || among(others, given)) return;
  throw usage_error("expected one of " + reports::listed(commands()) + ", not '" + reports::excerpt(given, 60) + "'" +
                    reports::suggestion(given, commands()));
}

std::string value_wanted(const std::string& option) {
  if (option == "--time") return "a number of seconds";
  if (option == "--report" || option == "--checkpoint" || option == "--resume" || option == "--trace" || option == "--svg")
    return "the name of a file";
  if (option == "--out") return "the name of a file";
  if (option == "--schedule") return "a schedule";
  if (option == "--capacity") return "numbers of blocks";
  if (option == "--locking") return "a name";
  if (option == "--format") return "the name of a format";
  if (option == "--shard") return "a part and how many there are, as 2/4";
  if (option == "--qps" || option == "--flaws") return "a list with commas";
  if (option == "--seeds") return "a range, such as 1-20";
  return "a number";
}

// What was expected, in place of the library's words for it.
std::string expected_instead(const command_line& given, const CLI::ParseError& error) {
  const std::string words = error.what();
  const CLI::App& command = *given.app.get_subcommands().at(0);
  if (const std::vector<std::string> extras = given.app.remaining(true); !extras.empty()) {
    std::vector<std::string> options;
    for (const CLI::Option* each : command.get_options())
      if (each->nonpositional()) options.push_back(each->get_name());
    return "expected no argument '" + reports::excerpt(extras.front(), 60) + "'" + reports::suggestion(extras.front(), options);
  }
  const std::string option = words.substr(0, words.find_first_of(": "));
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    static constexpr std::string_view between = " excludes ";
    const std::size_t at = words.find(between);
    if (at != std::string::npos)
      return "expected " + words.substr(0, at) + " or " + words.substr(at + between.size()) + ", not both";
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return "expected " + option;
  if (words.find("received") != std::string::npos) return option + ": expected once";
  if (words.find("override") != std::string::npos) return "--" + option + ": expected no value";
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return option + ": expected " + value_wanted(option);
  return reports::excerpt(words, 600);
}

int refuse(const std::string& line) {
  std::cerr << "kvrace: " << line << "\n";
  return exit_bad_input;
}

int answer(int argument_count, const char* const* arguments) {
  try {
    check_command(argument_count, arguments);
    command_line given;
    try {
      given.app.parse(argument_count, arguments);
    } catch (const CLI::ParseError& error) {
      // Help and version end here too, with code 0 and their text on standard output.
      if (error.get_exit_code() == 0) return given.app.exit(error);
      return refuse(expected_instead(given, error) + "; see 'kvrace " + arguments[1] + " --help'");
    }
    return dispatch(given);
  } catch (const usage_error& error) {
    return refuse(error.line());
  } catch (const std::exception& error) {
    std::cerr << "kvrace: internal error: " << reports::excerpt(error.what(), 600) << "\n";
    return exit_internal;
  }
}

}  // namespace

int run_command_line(int argument_count, const char* const* arguments) {
  const int code = answer(argument_count, arguments);
  std::cout.flush();
  if (std::cout) return code;
  std::cerr << "kvrace: standard output: cannot be written, and what should stand there is lost\n";
  return worse(code, exit_output_lost);
}

}  // namespace kvrace::scenarios

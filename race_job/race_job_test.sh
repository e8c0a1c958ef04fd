#!/usr/bin/env bash
# race_job_test.sh PROGRAM SANITIZER: the job of one build over a few scenarios.
set -euo pipefail
program=$1
sanitizer=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

complain() {
  printf '%s\n' "$*" >&2
  exit 1
}
# job CODE SCENARIO...: runs and compares them; the output is in $folder/output. The comparison must end with CODE.
job() {
  local expected=$1 code=0
  shift
  "$program" run --scenarios "$@" --runs 300 --seed 11 --results "$folder/results" 2>"$folder/progress" ||
    complain "the job itself failed: $(cat "$folder/progress")"
  "$program" compare "$folder/results" >"$folder/output" || code=$?
  [[ $code == "$expected" ]] || complain "expected exit code $expected of $*, got $code: $(cat "$folder/output")"
}
says() { grep -qE -- "$1" "$folder/output" || complain "expected a line like '$1': $(cat "$folder/output")"; }

# Clean caches and race-free flaws: they agree, and the job says what it ran.
job 0 02_ghost_entry_mutex_repaired 04_ghost_entry_rwlock_repaired 01_ghost_entry_mutex 37_generated_rwlock
says '^The engine and the sanitizers agree'
says '4 scenarios, 1200 runs of each build'
says '^Seeds 11; schedules: random walk'

# A race that the engine finds too.
job 0 05_recency_race_mutex 07_recency_race_rwlock
if [[ $sanitizer == thread ]]; then
  says '^05_recency_race_mutex +300 +([0-9]+) +\1 +[0-9.]+ % .* agree$'
  says '^07_recency_race_rwlock +300 +([0-9]+) +\1 +[0-9.]+ % .* agree$'
fi

# A race in plain data, which only ThreadSanitizer sees: caught, at its place.
job 0 90_unchecked_counter_mutex 91_unchecked_counter_rwlock
if [[ $sanitizer == thread ]]; then
  says '^90_unchecked_counter_mutex .* caught$'
  says '^91_unchecked_counter_rwlock .* caught$'
  says '^90_unchecked_counter_mutex: ThreadSanitizer reports a data-race .* at cache_model/.*count_published and cache_model/.*count_published'
fi

# The same runs give the same results, but for their time.
timeless() { sed -E 's/^(scenario(\t[^\t]*){8})\t[0-9]+/\1/' "$folder/results"; }
first=$(timeless)
job 0 90_unchecked_counter_mutex 91_unchecked_counter_rwlock
[[ $(timeless) == "$first" ]] || complain "the same runs gave other results"

# The run that a report names shows it again.
if [[ $sanitizer == thread ]]; then
  run=$(awk -F'\t' '$1 == "report" { print $6; exit }' "$folder/results")
  "$program" run --scenarios 90_unchecked_counter_mutex --seed 11 --run "$run" --results "$folder/again" 2>/dev/null
  grep -q '^report' "$folder/again" || complain "run $run shows no report when it is repeated alone"
  schedule=$(awk -F'\t' '$1 == "report" { print $8; exit }' "$folder/results")
  "$program" run --scenarios 90_unchecked_counter_mutex --schedule "$schedule" --results "$folder/again" 2>/dev/null
  grep -q '^report' "$folder/again" || complain "the schedule $schedule shows no report"
fi

# Usage.
usage() {
  local code=0
  "$program" "$@" >/dev/null 2>&1 || code=$?
  [[ $code == 64 ]] || complain "expected exit code 64 of '$*', got $code"
}
usage
usage nonsense
usage run
usage run --results "$folder/x" --runs 0
usage run --results "$folder/x" --runs many
usage run --results "$folder/x" --scenarios no_such_scenario
usage run --results "$folder/x" --scenarios 1 --schedule nonsense
usage run --results "$folder/x" --scenarios 1 --run 1 --schedule baseline
usage compare "$folder/progress"

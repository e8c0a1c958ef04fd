#!/usr/bin/env bash
# program_test.sh PROGRAM SANITIZER: the job of one build over a few scenarios.
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

# A planted flaw of the lock-free cache gives a block two owners: a ghost to the engine, and a race to ThreadSanitizer.
job 0 77_double_decrement_epoch
if [[ $sanitizer == thread ]]; then
  says '^77_double_decrement_epoch .* both fail$'
  says '^77_double_decrement_epoch: ThreadSanitizer reports a data-race in [0-9]+ of 300 runs that the engine ended with another violation, at cache_model/locking/epoch.h:'
fi

# Use after reclamation, which the engine and AddressSanitizer find.
if [[ $sanitizer == address ]]; then
  "$program" run --scenarios 44_epoch_reclaimed_early --runs 2000 --results "$folder/results" 2>/dev/null
  "$program" compare "$folder/results" >"$folder/output" || complain "they disagree: $(cat "$folder/output")"
  says '^44_epoch_reclaimed_early +2000 +([1-9][0-9]*) .* \1  agree$'
fi

# Controls: they disagree, and the job says so, with what repeats it. An engine that does not look for races ...
if [[ $sanitizer == thread ]]; then
  job 1 05_recency_race_mutex --blind
  says '^05_recency_race_mutex .* DISAGREE$'
  says '^  05_recency_race_mutex, seed 11, run [0-9]+, step [0-9]+: ThreadSanitizer reports a data-race where the engine finds nothing'
  says '^    a (read|write) of [0-9]+ bytes by task [0-9]+ at cache_model/'
  says '^    schedule: [0-9]'
  says '^    again: scripts/race_job --scenarios 05_recency_race_mutex --seed 11 --run [0-9]+ --blind$'
fi
# ... and a build that sees nothing.
silent() {
  local code=0
  env "$1" "$program" run --scenarios 2 --runs 10 --results "$folder/results" 2>"$folder/output" || code=$?
  [[ $code == 1 ]] || complain "expected exit code 1 of a build with $1, got $code: $(cat "$folder/output")"
  says 'does not see what is planted for it'
}
[[ $sanitizer != thread ]] || silent TSAN_OPTIONS=report_bugs=0
[[ $sanitizer != address ]] || silent ASAN_OPTIONS=allow_user_poisoning=0

# The same runs give the same results, but for their time.
timeless() { sed -E 's/^(scenario(\t[^\t]*){8})\t[0-9]+/\1/' "$folder/results"; }
job 0 90_unchecked_counter_mutex 91_unchecked_counter_rwlock
first=$(timeless)
job 0 90_unchecked_counter_mutex 91_unchecked_counter_rwlock
[[ $(timeless) == "$first" ]] || complain "the same runs gave other results"

# The run that a report names shows it again.
if [[ $sanitizer == thread ]]; then
  run=$(awk -F'\t' '$1 == "report" { print $7; exit }' "$folder/results")
  "$program" run --scenarios 90_unchecked_counter_mutex --seed 11 --run "$run" --results "$folder/again" 2>/dev/null
  grep -q '^report' "$folder/again" || complain "run $run shows no report when it is repeated alone"
  schedule=$(awk -F'\t' '$1 == "report" { print $9; exit }' "$folder/results")
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

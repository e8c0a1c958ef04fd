#!/usr/bin/env bash
# The job as it is called: both builds, and what it exits with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

complain() {
  printf '%s\n' "$*" "$(cat "$folder/output")" >&2
  exit 1
}
# exits CODE ARGUMENT...: the output is in $folder/output.
exits() {
  local expected=$1 code=0
  shift
  scripts/race_job "$@" >"$folder/output" 2>&1 || code=$?
  [[ $code == "$expected" ]] || complain "expected exit code $expected of scripts/race_job $*, got $code:"
}
says() { grep -qE -- "$1" "$folder/output" || complain "expected a line like '$1':"; }

exits 64 --nonsense
exits 64 --scenarios
exits 64 --scenarios 2 --runs
exits 64 --scenarios no_such_scenario

exits 0 --scenarios 2 5 90 --runs 100 --seed 3
says '^Run under ThreadSanitizer, AddressSanitizer: 3 scenarios, 300 runs of each build, [0-9]+ visible operations$'
says '^Seeds 3; schedules: random walk'
says '^The engine and the sanitizers agree'

# They disagree, and the line that repeats one report does.
exits 1 --scenarios 5 --runs 100 --seed 3 --blind
says '^05_recency_race_mutex .* DISAGREE$'
mapfile -t again < <(sed -n 's/^    again: scripts.race_job //p' "$folder/output" | head -1 | tr ' ' '\n')
((${#again[@]} != 0)) || complain "expected a line that repeats the first report:"
exits 1 "${again[@]}"
says 'run [0-9]+, step [0-9]+: ThreadSanitizer reports a data-race where the engine finds nothing .1 of 1 runs.$'

# A file of the caller's folder.
cp scenarios/02_ghost_entry_mutex_repaired.json "$folder/mine.json"
job=$PWD/scripts/race_job
(cd "$folder" && "$job" --scenarios mine.json --runs 10 >output 2>&1) || complain "expected that a file is found:"

# What the page shows.
scripts/readme_test docs/race_job.md >"$folder/output" || complain "docs/race_job.md:"

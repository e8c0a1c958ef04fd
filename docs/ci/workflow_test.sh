#!/usr/bin/env bash
# Runs the commands of both workflows as the CI systems would, over few scenarios and schedules, and looks at what they leave.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export RACE_JOB="--scenarios 1 2 5 90 --runs 100 --time 600"
export GITHUB_STEP_SUMMARY=$folder/summary

complain() {
  printf '%s\n' "$*" >&2
  exit 1
}

# commands PAGE: the scripts of its jobs, one a line, in their order.
commands() { sed -nE 's/^ *(- )?run: (.*)$/\2/p; s/^    - (scripts\/.*)$/\1/p' "$1"; }

# The four parts, then what is done once.
run_page() {
  local page=$1 command part
  mkdir "$folder/$page"
  while read -r command; do
    if [[ $command == *--shard* ]]; then
      for part in 1 2 3 4; do
        run_command "$page" "$part" "${command//\$\{\{ matrix.part \}\}/$part}"
      done
    else
      run_command "$page" 1 "$command"
    fi
  done < <(commands "docs/ci/$page")
}

# In a folder of its own, with the script of this one.
run_command() {
  local page=$1 part=$2 command=$3
  (cd "$folder/$page" && CI_NODE_INDEX=$part CI_NODE_TOTAL=4 bash -euo pipefail -c "${command/#scripts/$OLDPWD/scripts}") \
    >"$folder/output" 2>&1 || complain "$page: this does not work: $command" "$(tail -n 30 "$folder/output")"
}

for page in github.yml gitlab.yml; do
  (($(commands "docs/ci/$page" | wc -l) >= 2)) || complain "$page has no commands"
  run_page "$page"
  for extension in json sarif xml md annotations prom; do
    [[ -e $folder/$page/races/kvrace.$extension ]] || complain "$page leaves no kvrace.$extension"
  done
  [[ $(grep -c '"schema_version"' "$folder/$page/races/kvrace.json") -ge 4 ]] || complain "$page: the parts do not come to the whole"
  [[ -s $folder/$page/races-1/comparison.txt ]] || complain "$page leaves no comparison"
done
grep -q '4 of 4 scenarios as expected' "$GITHUB_STEP_SUMMARY" || complain "no summary"
cmp <(sed '/"timing": {/,/}/d' "$folder/github.yml/races/kvrace.json" | sed 's@/[^ "]*/races/@races/@') \
  <(sed '/"timing": {/,/}/d' "$folder/gitlab.yml/races/kvrace.json" | sed 's@/[^ "]*/races/@races/@') || complain "the workflows come to different reports"

# A part that is missing is not overlooked.
code=0
(cd "$folder/github.yml" && "$OLDPWD/scripts/race_job" --merge races-1 races-2 --artifacts fewer) >"$folder/output" 2>&1 || code=$?
[[ $code == 64 ]] || complain "a missing part: exit code $code"
grep -q 'expected the other parts too, and 3/4 is missing' "$folder/output" || complain "a missing part: $(cat "$folder/output")"

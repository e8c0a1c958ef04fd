# shellcheck shell=sh disable=SC2154
# Sections of cli_test.sh about stored reports, the terminal, shells and the manual; to be sourced by it.

conversion() {
  scenario found.json "$random" '{ "verdict": "not_found" }' "$ghost"
  scenario quiet.json "$random" '{ "verdict": "not_found" }'
  run 1 run found.json quiet.json --report r.json
  # The same bytes as when written at once, whatever the format.
  for extension in json txt sarif xml annotations md perfetto prom dot; do
    run 0 report r.json --out "converted.$extension"
    cp "converted.$extension" before
    run 0 report r.json --out "converted.$extension"
    cmp "converted.$extension" before || fail "$extension: other bytes the second time"
  done
  without_timing r.json >first
  without_timing converted.json | sed 's/replay converted.json/replay r.json/' >second
  cmp first second || fail 'a report that is read and written again differs'
  grep -q '^::error file=' converted.annotations || fail 'no annotation'
  grep -q '<failure type="ghost_entry"' converted.xml || fail 'no failure in JUnit XML'
  grep -q 'kvrace_as_expected{scenario="found",mode="run"} 0' converted.prom || fail 'no metric'
  grep -q '"ruleId":"ghost_entry"' converted.sarif || fail 'no result in SARIF'
  grep -q 'is in the eviction order\|leads from a key' converted.sarif || fail 'SARIF has no message'
  grep -q 'the index or the eviction order leads to a block that denies it' converted.sarif || fail 'a rule of SARIF has no help'
  run 0 report r.json
  grep -q '^VIOLATION' out || fail 'the text is not what is written without --format'
  run 0 report r.json --format json
  [ "$(head -c 1 out)" = '[' ] || fail 'JSON on standard output'
  run 1 report r.json --exit-code --out /dev/null
  # Several at once; each is replayed from the new file.
  run 0 run 1 --report s.json
  run 0 report r.json s.json --out both.json
  [ "$(grep -c '"schema_version"' both.json)" -eq 5 ] || fail "reports in both.json: $(grep -c '"schema_version"' both.json)"
  grep -o 'kvrace replay both.json --finding [0-9]*' both.json | while read -r _ arguments; do
    # shellcheck disable=SC2086
    "$kvrace" $arguments >/dev/null 2>&1
    [ $? -le 1 ] || echo "$arguments"
  done >bad
  [ ! -s bad ] || fail "not replayed: $(cat bad)"
  grep -q 'kvrace replay both.json --finding 4' both.json || fail 'what a finding shrinks to has its old number'
  head -c 500 r.json >cut.json
  refused 'cut.json: ' report r.json cut.json --out x.json
  refused 'found.json: (root): expected a kvrace report' report found.json
  refused 'missing.json: cannot be read' report missing.json
  refused '--format: expected one of json, ' report r.json --format sarf
  grep -q "not 'sarf'; did you mean 'sarif'?" err || fail "a mistyped format: said '$(cat err)'"
  refused '--format: expected the name of a format' report r.json --format
  refused "r.json: cannot be written: it is the input 'r.json'" report r.json --out r.json
  refused 'expected REPORT' report
  [ ! -e x.json ] || fail 'a refused report left a file'
}

merging() {
  scenario a.json "$random" '{ "violation": "ghost_entry" }' "$ghost"
  scenario b.json "$random" '{ "verdict": "not_found" }'
  sed 's/"name": "test"/"name": "another"/' a.json >c.json
  run 0 run a.json b.json c.json --report whole.json
  without_timing whole.json >first
  for part in 1 2; do run 0 run a.json b.json c.json --shard "$part/2" --report "part$part.json"; done
  cp whole.json kept.json
  for parts in 'part1.json part2.json' 'part2.json part1.json'; do
    # shellcheck disable=SC2086
    run 0 report $parts --merge --out whole.json
    without_timing whole.json >second
    cmp first second || fail "the parts $parts come to something else than the whole"
  done
  run 0 report part1.json --out part1.sarif
  refused "part1.json: expected the other parts too, and 2/2 is missing" report part1.json --merge
  refused "part1.json: expected each part once, and 1/2 is in 'part1.json' too" report part1.json part1.json --merge
  refused "kept.json: expected a part of a divided command" report part1.json kept.json --merge
  run 0 run a.json b.json c.json --seed 2 --shard 2/2 --report other.json
  refused "other.json: expected a part of the same command as 'part1.json'" report part1.json other.json --merge
  sed 's/"compiler": "[^"]*"/"compiler": "another"/' part2.json >build.json
  refused "build.json: expected a report of the same build as 'part1.json'" report part1.json build.json --merge
  run 0 run a.json b.json c.json --shard 2/2 --json
  grep -q '"index": 2' out || fail 'a part of one scenario does not say which'
  refused "--shard: expected a part and how many there are, as 2/4, not '2'" run a.json --shard 2
  refused "--shard: expected an integer from 1 to 2, not '3'" run a.json b.json --shard 3/2
  refused '--shard: expected at most as many parts as there are scenarios, 1, not 2' run a.json --shard 1/2
}

diff_of_reports() {
  scenario a.json "$random" '{ "verdict": "not_found" }'
  run 0 run a.json --report clean.json
  scenario a.json "$random" '{ "verdict": "not_found" }' "$ghost"
  run 1 run a.json --report found.json
  run 0 run 1 --report other.json
  run 0 diff found.json found.json
  [ "$(cat out)" = '0 differences, 0 for the worse' ] || fail "no difference: said '$(cat out)'"
  run 1 diff clean.json found.json
  grep -q '^weaker  *a: NOT_FOUND (shown as expected) -> VIOLATION' out || fail 'a verdict that is weaker'
  grep -q '^new finding  *a: ghost_entry: ' out || fail 'a new finding'
  tail -1 out | grep -q '^2 differences, 2 for the worse$' || fail 'the count of differences'
  run 0 diff found.json clean.json
  grep -q '^finding gone  *a: ghost_entry: ' out || fail 'a finding that has gone'
  grep -q '^stronger  *a: VIOLATION ' out || fail 'a verdict that is stronger'
  run 2 diff clean.json other.json
  grep -q '^scenario gone  *a: ' out || fail 'a scenario that has gone'
  grep -q '^new scenario  *01_ghost_entry_mutex: ' out || fail 'a new scenario'
  run 1 diff clean.json found.json --json
  grep -q '"kind":"finding_new"' out || fail 'differences as JSON'
  refused 'missing.json: cannot be read' diff clean.json missing.json
  refused 'expected AFTER' diff clean.json
}

terminal() {
  scenario found.json "$random" '{ "verdict": "not_found" }' "$ghost"
  scenario quiet.json "$random" '{ "verdict": "not_found" }'
  run 0 run quiet.json --quiet
  [ ! -s out ] || fail '--quiet prints what is as expected'
  run 0 run 1 2 --quiet
  [ ! -s out ] || fail '--quiet prints a table of what is as expected'
  run 1 run quiet.json found.json --quiet
  grep -q 'quiet.json' out && fail '--quiet names a scenario that is as expected'
  grep -q '^VIOLATION' out || fail '--quiet does not print a violation'
  [ "$(grep -c '^NOT_FOUND' out)" -eq 0 ] || fail '--quiet prints what is as expected, of several'
  # The table, what is not as expected, and last the line that repeats it.
  grep -q '^  VIOLATION   found.json  *[0-9]*  *[0-9.]* s$' out || fail 'no table'
  grep -q '^1 of 2 scenarios as expected$' out || fail 'no count'
  tail -1 out | grep -q '^Replay: kvrace replay found.json --schedule ' || fail 'the replay line is not the last'
  run 0 run quiet.json --json
  [ "$(head -c 1 out)" = '{' ] || fail '--json does not write JSON'
  refused 'expected --report or --json, not both' run quiet.json --json --report r.json
  refused 'expected --quiet or --verbose, not both' run quiet.json --quiet --verbose
  run 0 run 53 --no-shrink --report traffic.json
  grep -q '\.\.\. [0-9]* steps' out || fail 'a long trace is not folded'
  run 0 report traffic.json --format text --verbose
  ! grep -q '\.\.\. [0-9]* steps' out || fail '--verbose folds'
  CLICOLOR_FORCE=1 "$kvrace" run quiet.json >out 2>err
  grep -q "$(printf '\033')" out || fail 'CLICOLOR_FORCE gives no colour'
  NO_COLOR=1 CLICOLOR_FORCE=1 "$kvrace" run quiet.json >out 2>err
  ! grep -q "$(printf '\033')" out || fail 'NO_COLOR gives colour'
  # The nearest schedule that passes is followed where the report has it.
  run 0 run 1 --report r.json
  grep -q '^Finding 1: ghost_entry' out || fail 'the number of a finding'
  grep -q '^  Finding 2, what is left of it, at step 16: ' out || fail 'the number of what a finding shrinks to'
  line=$(sed -n 's/^Replay what passes nearby: kvrace //p' out)
  [ "$line" = 'replay r.json --finding 2 --passing' ] || fail "what passes nearby: said '$line'"
  # shellcheck disable=SC2086
  run 0 $line
  grep -q '^outcome  *it passes, as the report says, exit code 0$' out || fail 'the outcome of a run that passes'
  grep -q '^ *[0-9]*  *lock mutex' out || fail 'a run that passes shows no steps'
  refused '--passing: expected a finding with a schedule nearby that passes' replay r.json --passing
  # Names that are nearly right.
  sed 's/metadata_second_section/metadata_secnd_section/' found.json >flaw.json
  refused 'flaw.json: /cache/flaws/0: ' run flaw.json
  grep -q "did you mean 'metadata_second_section'?" err || fail "a mistyped flaw: said '$(cat err)'"
  sed 's/"strategy": "random"/"strategy": "randm"/' found.json >strategy.json
  refused 'strategy.json: /search/strategy: ' run strategy.json
  grep -q "did you mean 'random'?" err || fail "a mistyped strategy: said '$(cat err)'"
  refused 'ghost_enty_mutex: expected a file or a scenario' run ghost_enty_mutex
  grep -q "did you mean '" err || fail "a mistyped scenario: said '$(cat err)'"
  refused "--memory-model: expected sc or rc11, not 'rc1'; did you mean 'rc11'?" prove 2 --memory-model rc1
}

shells_and_manual() {
  refused "SHELL: expected one of bash, zsh, fish, not 'bsh'; did you mean 'bash'?" completion bsh
  run 0 completion bash
  cp out kvrace.bash
  bash -n kvrace.bash || fail 'the script for bash'
  # What is completed: the last word of a line.
  completed() {
    bash -c 'source ./kvrace.bash; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kvrace; printf "%s\n" "${COMPREPLY[@]}"' - - "$@" >words
  }
  completed kvrace pro
  [ "$(cat words)" = prove ] || fail "kvrace pro: $(cat words)"
  completed kvrace run --se
  [ "$(cat words)" = --seed ] || fail "kvrace run --se: $(cat words)"
  completed kvrace run 01_
  grep -qx 01_ghost_entry_mutex words || fail "kvrace run 01_: $(cat words)"
  completed kvrace report r.json --format sa
  [ "$(cat words)" = sarif ] || fail "kvrace report r.json --format sa: $(cat words)"
  : >'a file.json'
  completed kvrace replay 'a f'
  [ "$(cat words)" = 'a file.json' ] || fail "kvrace replay 'a f': $(cat words)"
  for shell in zsh fish; do
    run 0 completion "$shell"
    cp out "kvrace.$shell"
    if command -v "$shell" >/dev/null; then
      "$shell" -n "kvrace.$shell" || fail "the script for $shell"
    else
      echo "not checked, as there is no $shell: its completion"
    fi
  done
  if command -v fish >/dev/null; then
    fish -c 'source kvrace.fish; complete -C "kvrace run --se"' | grep -q '^--seed' || fail 'fish does not complete --seed'
  fi
  run 0 man
  cp out kvrace.1
  for word in '^.SH COMMANDS' '\\-\\-memory\\-model' '^.SS report'; do grep -q "$word" kvrace.1 || fail "the manual has no $word"; done
  if command -v mandoc >/dev/null; then
    # The page has no date of its own.
    mandoc -T lint -W warning <kvrace.1 | grep -v 'missing date' >lint
    [ ! -s lint ] || fail "the manual: $(head -5 lint)"
  else
    echo 'not checked, as there is no mandoc: the manual'
  fi
}

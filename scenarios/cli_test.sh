#!/bin/sh
# cli_test.sh KVRACE SECTION: the kvrace command seen from outside. Prints what is wrong; silent success.
set -u
kvrace=$1
section=$2
scenarios=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

# run CODE ARGUMENTS...: leaves out and err.
run() {
  wanted=$1
  shift
  "$kvrace" "$@" >out 2>err
  code=$?
  [ "$code" -eq "$wanted" ] || fail "kvrace $*: exit $code, not $wanted: $(head -c 300 err)"
}

# refused LINE ARGUMENTS...: one line on standard error that starts with "kvrace: LINE", nothing on standard output, exit 64.
refused() {
  line=$1
  shift
  run 64 "$@"
  [ ! -s out ] || fail "kvrace $*: wrote to standard output: $(head -c 300 out)"
  [ "$(wc -l <err)" -eq 1 ] || fail "kvrace $*: $(wc -l <err) lines on standard error, not 1"
  case $(cat err) in
    "kvrace: $line"*) ;;
    *) fail "kvrace $*: said '$(cat err)', not 'kvrace: $line...'" ;;
  esac
}

# scenario FILE SEARCH EXPECT [FLAWS]: a small scenario.
scenario() {
  cat >"$1" <<END
{ "name": "test",
  "cache": { "locking": "mutex", "capacity_blocks": 2, "tokens_per_block": 2, "flaws": [${4:-}] },
  "tasks": [
    { "name": "a", "operations": [ { "serve": { "model": "m", "tokens": "AA." } }, { "serve": { "model": "m", "tokens": "BB." } }, { "lookup": { "model": "m", "tokens": "AA." } } ] },
    { "name": "b", "operations": [ { "serve": { "model": "m", "tokens": "CC." } }, { "lookup": { "model": "m", "tokens": "AA." } }, { "serve": { "model": "m", "tokens": "BB." } } ] }
  ],
  "search": $2,
  "expect": $3 }
END
}
random='{ "strategy": "random", "runs": 1000 }'
endless='{ "strategy": "random", "runs": 1000000000 }'
ghost='"metadata_second_section"'

without_timing() { sed '/"timing": {/,/}/d' "$1"; }

traces() {
  printf '{"timestamp": %s, "input_length": 1024, "output_length": 1, "hash_ids": [0, 1]}\n' 0 5 >small.jsonl
  run 0 trace small.jsonl --capacity 1,unbounded --report hits.json
  grep -q ' unbounded           2  50.0 %' out || fail "the table has no line for an unbounded cache: $(cat out)"
  run 0 trace small.jsonl --capacity 1,unbounded --report -
  cmp -s out hits.json || fail 'the report on standard output is another'
  run 0 trace small.jsonl --report hits.txt
  cmp -s out hits.txt || fail 'the report as text is another'
  "$kvrace" trace /dev/stdin <small.jsonl >out 2>err || fail "a trace on standard input: $(cat err)"
  for option in 0 -1 1,1 1, unbound 10000001; do refused '--capacity: expected ' trace small.jsonl --capacity "$option"; done
  refused '--locking: expected one of mutex, rwlock, epoch, not' trace small.jsonl --locking spin
  refused '--tokens-per-block: expected an integer from 1 to 65536' trace small.jsonl --tokens-per-block 0
  refused "small.jsonl: 1: /hash_ids: expected 64 blocks of 16 tokens" trace small.jsonl --tokens-per-block 16
  refused "hits.json: 1: column 2: expected JSON: " trace hits.json
  refused '/dev/zero: 1: expected at most 1048576 bytes in a line' trace /dev/zero
  refused 'nowhere: cannot be read: No such file' trace nowhere
  refused '.: cannot be read: Is a directory' trace .
  refused 'small.jsonl: cannot be written: it is the input' trace small.jsonl --report small.jsonl
  sed 1q hits.json >bad.jsonl
  refused 'hits.sarif: cannot be written: what a trace holds is written as .json, .txt' trace small.jsonl --report hits.sarif
  refused 'hits.svg: cannot be written: what a trace holds is written as .json, .txt' trace small.jsonl --report hits.svg
  refused 'bad.jsonl: 1: ' trace bad.jsonl --report kept.json
  [ ! -e kept.json ] || fail 'a trace that is refused left a report'
  # In a scenario, and in its place one from the command line: the finding is repeated with that too.
  mkdir elsewhere
  cp "$scenarios/traces/chat.jsonl" elsewhere/moved.jsonl
  cp "$scenarios/190_trace_hit_not_pinned_mutex.json" traced.json
  refused 'traced.json: /traffic/trace/file: traces/chat.jsonl: cannot be read: ' run traced.json
  refused 'traced.json: /traffic/trace/file: bad.jsonl: 1: ' run traced.json --trace bad.jsonl
  refused "--trace: expected a scenario with traffic from a trace, not '01" run 1 --trace small.jsonl
  run 0 run traced.json --trace elsewhere/moved.jsonl --report traced_report.json
  grep -q 'digest 0x' out || fail 'a report does not say which trace it was'
  run 0 replay traced_report.json --trace elsewhere/moved.jsonl
  refused 'traced_report.json: the scenario in it: /traffic/trace/file: ' replay traced_report.json
  printf '\n' >>elsewhere/moved.jsonl
  run 0 run traced.json --trace elsewhere/moved.jsonl --no-shrink
  grep -q 'blank lines passed' out || fail 'a repair of the trace is not in the report'
}

# few ARGUMENTS...: a small part of the built-in sweep.
few() {
  wanted=$1
  shift
  run "$wanted" sweep 180 --requests 300 --seeds 1-2 --locking mutex,epoch "$@"
}

sweeps() {
  for jobs in 1 3; do
    few 2 --qps 100,550 --jobs $jobs --report "$jobs.json" --svg "$jobs.svg"
    grep -q 'NOT AS EXPECTED  the pollution curve' out || fail 'a curve from too few requests passes where it must'
    grep -v '^time ' out >"$jobs.out"
    without_timing "$jobs.json" >"$jobs.untimed"
  done
  for file in svg out untimed; do cmp "1.$file" "3.$file" || fail "a sweep depends on the number of processes: $file"; done
  few 0 --qps 100 --flaws repaired --report -
  grep -q '"polluted": 0' out || fail 'the JSON of a sweep is not on standard output'
  few 0 --qps 100 --flaws repaired --report curve.txt
  grep -q '^again *kvrace sweep 180 --qps 100 --locking mutex,epoch --flaws repaired --seeds 1-2 --requests 300$' curve.txt ||
    fail 'a sweep does not say how to repeat it'
  refused "1.json: (root): expected a report of 'kvrace run'" report 1.json
  refused 'curve.sarif: cannot be written: a sweep is written as .json, .txt, .svg, .html' sweep 180 --report curve.sarif
  refused "1: (root): expected the key 'sweep'" sweep 1
  refused '--qps: expected numbers from 0.1 to 1000000, not' sweep 180 --qps 100,0
  refused '--qps: expected a list with commas, each item once, not' sweep 180 --qps 100,,
  refused '--seeds: expected a first and a last one' sweep 180 --seeds 7-3
  refused '--seeds: expected an integer' sweep 180 --seeds 1-x
  refused "--flaws: expected sets of flaws of the scenario, incident, repaired, I3 alone, I5 alone, B02 alone, not 'all'" sweep 180 --flaws all
  refused '--locking: expected one of mutex, rwlock, epoch, not' sweep 180 --locking spin
  refused '--svg: expected the name of a file' sweep 180 --svg -
}

bad_input() {
  printf '{ "name": "cut off", ' >cut.json
  printf '' >empty.json
  printf '{ "name": "\303\050" }' >bytes.json
  head -c 100000 /dev/zero | tr '\0' '[' >deep.json
  head -c 17000000 /dev/zero | tr '\0' ' ' >huge.json
  printf '{ "name": "x" }\n\000 and more' >nul.json
  mkdir folder.json
  mkfifo pipe.json
  refused 'cut.json: 1:' run cut.json --report r.json
  refused 'empty.json: 1:1: expected a JSON object, not an empty file' run empty.json --report r.json
  refused 'bytes.json: 1:12: expected UTF-8, not byte \xC3' run bytes.json --report r.json
  refused 'deep.json: 1:65: expected at most 64 nested arrays and objects' run deep.json --report r.json
  refused 'huge.json: expected at most 16777216 bytes' run huge.json --report r.json
  refused 'folder.json: cannot be read: Is a directory' run folder.json --report r.json
  refused 'nul.json: 2:1: expected JSON, not a NUL byte' run nul.json --report r.json
  refused 'pipe.json: expected a file, not a named pipe' run pipe.json --report r.json
  for file in deep nul pipe huge; do refused "$file.json: " replay "$file.json"; done
  refused 'missing.json: cannot be read: No such file or directory' run missing.json --report r.json
  refused 'mising: expected a file or a scenario named by' run mising --report r.json
  scenario ok.json "$random" '{ "verdict": "not_found" }'
  sed 's/"capacity_blocks": 2/"capacity_blocks": 0/' ok.json >zero.json
  refused 'zero.json: /cache/capacity_blocks: expected an integer from 1 to 65536, not 0' run zero.json --report r.json
  refused 'zero.json: /cache/capacity_blocks' prove zero.json --report r.json
  refused 'zero.json: /cache/capacity_blocks' replay zero.json --schedule baseline --report r.json
  refused '50: /traffic: expected tasks or generated ones to prove: traffic is sampled' prove 50 --report r.json
  refused '50: /traffic: ' prove 1 50
  # A report in the place of an input, under whatever name.
  cp ok.json before.json
  ln -s ok.json link.json
  ln ok.json other_name.json
  for report in ok.json ./ok.json "$folder/ok.json" link.json other_name.json; do
    refused "$report: cannot be written: it is the input 'ok.json', expected another file" run 1 ok.json --report "$report"
    refused "$report: cannot be written: it is the input 'ok.json'" replay ok.json --schedule baseline --report "$report"
  done
  cmp ok.json before.json || fail 'an input was overwritten'
  run 0 run 1 --report found.json
  refused "found.json: cannot be written: it is the input 'found.json'" replay found.json --report found.json
  refused "found.json: cannot be written: it is the input 'found.json'" shrink found.json --report found.json
  # One bad file among good ones: nothing runs.
  refused 'zero.json: /cache/capacity_blocks' run ok.json zero.json --report r.json
  control=$(printf 'a\nb\033[2J.json')
  refused 'a\nb\x1B[2J.json: cannot be read' run "$control"
  refused 'ok.json: ' replay ok.json
  [ ! -e r.json ] || fail 'a refused scenario left a report'
}

commands='run, prove, replay, shrink, sweep, trace, memory, report, diff, list, corpus, completion, man'

usage() {
  scenario ok.json "$random" '{ "verdict": "not_found" }'
  refused "expected one of $commands; see"
  refused "expected one of $commands, not 'frobnicate'" frobnicate
  refused "expected one of $commands, not 'proove'; did you mean 'prove'?" proove ok.json
  refused "expected one of $commands, not '--frob'" --frob
  refused "expected no argument '--sed'; did you mean '--seed'?" run ok.json --sed 1
  refused "expected no argument 'ok.json'" list ok.json
  refused '--seed: expected a number; see' run ok.json --seed
  refused '--time: expected a number of seconds; see' run ok.json --time
  refused '--report: expected the name of a file; see' run ok.json --report
  refused '--schedule: expected a schedule; see' replay ok.json --schedule
  refused '--seed: expected once; see' run ok.json --seed 1 --seed 2
  refused '--all: expected no value; see' run --all=3
  refused 'expected FILE; see' replay
  refused 'expected --finding or --schedule, not both; see' replay ok.json --finding 1 --schedule baseline
  refused 'expected --preemptions or --memory-model, not both; see' prove ok.json --memory-model sc --preemptions 1
  run 0 run ok.json --report found.json
  refused 'found.json: expected a scenario, not a report' run found.json
  refused 'found.json: expected a scenario, not a report' prove found.json
  scenario graphs.json '{ "strategy": "graphs" }' '{ "verdict": "not_found" }'
  refused "graphs.json: /search: expected the key 'memory_model' with strategy graphs" run graphs.json
  run 0 prove graphs.json --memory-model sc
  refused "expected scenarios or --all" run
  refused "expected scenarios or --all" run ok.json --all
  refused "--seed: expected an integer from 0 to 9007199254740991, not '-1'" run ok.json --seed -1
  refused "--seed: expected an integer from 0 to 9007199254740991, not '9007199254740992'" run ok.json --seed 9007199254740992
  refused "--runs: expected an integer from 1 to 9007199254740991, not '0'" run ok.json --runs 0
  refused "--runs: expected an integer from 1 to 9007199254740991, not '1e3'" run ok.json --runs 1e3
  refused "--time: expected a number of seconds above 0" run ok.json --time 0
  refused "--time: expected a number of seconds above 0" run ok.json --time nan
  refused "--time: expected a number of seconds above 0" run ok.json --time -1
  refused "--states: expected an integer from 1 to" prove ok.json --states 0
  refused "--preemptions: expected an integer from 0 to 1000, not '1001'" prove ok.json --preemptions 1001
  refused "--finding: expected an integer from 1" replay ok.json --finding 0
  refused "--schedule: " replay ok.json --schedule 1.3:
  refused "no/such/folder/r.json: cannot be written: No such file or directory" run ok.json --report no/such/folder/r.json
  refused "/: cannot be written: " run ok.json --report /
  long=$(printf '%0250d' 0)
  refused "0000" run ok.json --report "$long"
  grep -q 'cannot be written: File name too long' err || fail "a name too long: said '$(cat err)'"
  refused "/proc/r.json: cannot be written: " run ok.json --report /proc/r.json
  refused "--report: expected the name of a file" run ok.json --report ''
  mkfifo pipe.json
  refused 'pipe.json: cannot be written: nobody reads from it' run ok.json --report pipe.json
  for command in '' run prove replay list report diff completion man; do
    # shellcheck disable=SC2086
    run 0 $command --help
    grep -q Example out || fail "kvrace $command --help has no examples"
    [ ! -s err ] || fail "kvrace $command --help wrote to standard error"
  done
  run 0 --version
  run 0 list
  for word in 01_ rwlock metadata_second_section ghost_entry data_race; do
    grep -q -- "$word" out || fail "kvrace list does not mention $word"
  done
}

exit_codes() {
  scenario found.json "$random" '{ "violation": "ghost_entry" }' "$ghost"
  scenario other.json "$random" '{ "violation": "deadlock" }' "$ghost"
  scenario unwanted.json "$random" '{ "verdict": "not_found" }' "$ghost"
  scenario missed.json "$random" '{ "violation": "ghost_entry" }'
  scenario quiet.json "$random" '{ "verdict": "not_found" }'
  scenario proved.json '{ "strategy": "prove" }' '{ "verdict": "proved" }'
  scenario bounded.json '{ "strategy": "bounded", "preemptions_max": 0 }' '{ "verdict": "exhausted" }'
  scenario budget.json '{ "strategy": "prove", "runs": 1 }' '{ "verdict": "proved" }'
  scenario stale.json '{ "strategy": "random", "memory_model": "rc11" }' '{ "verdict": "not_found" }'
  sed 's/"name": "test",/"name": "test", "limits": { "steps_max": 5 },/; s/ghost_entry/step_bound/' found.json >short.json
  run 0 run short.json
  run 0 run found.json
  [ ! -s err ] || fail 'progress where there is no terminal'
  run 1 run other.json
  run 1 run unwanted.json
  run 2 run missed.json
  run 0 run quiet.json
  run 0 run proved.json
  run 0 run bounded.json
  run 2 run budget.json
  run 0 prove found.json
  run 0 prove quiet.json
  run 0 prove stale.json
  grep -q '^strategy  *execution graphs, rc11' out || fail 'a sample of stale reads was proved under sc'
  run 2 prove quiet.json --preemptions 0 --runs 1
  # All but traffic, which cannot be proved.
  "$kvrace" prove --all --runs 1 >out 2>err
  code=$?
  [ "$code" -le 2 ] || fail "kvrace prove --all --runs 1: exit $code: $(head -c 300 err)"
  ! grep -q '^bounds  *workers' out || fail 'traffic was proved'
  run 0 replay proved.json --schedule baseline
  grep -q '^  The schedule was followed to its end and no oracle failed' out || fail 'the claim of a replay'
  run 2 prove quiet.json --states 10
  grep -q ', states 10' out || fail 'the budget of states is not among the bounds'
  sed 's/"strategy": "prove"/"strategy": "prove", "states_max": 10/' proved.json >few_states.json
  run 2 run few_states.json
  run 0 run few_states.json --states 1000000
  run 1 run found.json missed.json other.json quiet.json
  run 2 run found.json missed.json quiet.json
  run 2 run quiet.json --runs 1000000000 --time 0.3
}

same_bytes() {
  # Under one name: what a finding shrinks to is repeated from the report.
  run 0 run --all --report first.json
  without_timing first.json >first
  run 0 run --all --jobs 2 --report first.json
  without_timing first.json >second
  cmp first second || fail 'two reports of the same scenarios differ'
  run 2 prove 2 36 43 86 --states 60000 --report first.json
  without_timing first.json >first
  for jobs in 2 3; do
    run 2 prove 2 36 43 86 --states 60000 --jobs "$jobs" --report first.json
    without_timing first.json >second
    cmp first second || fail "the report of a bounded search differs with $jobs jobs"
  done
  grep -q '"timing"' first.json || fail 'no timing block'
  [ "$(wc -c <first)" -lt "$(wc -c <first.json)" ] || fail 'the timing block was not cut out'
  scenario twin.json "$random" '{ "verdict": "not_found" }'
  run 0 run twin.json --seed 1 --report 1.json
  run 0 run twin.json --seed 2 --report 2.json
  without_timing 1.json >first
  without_timing 2.json >second
  cmp -s first second && fail 'another seed gives the same report'
}

replays() {
  run 0 run --all --report all.json
  findings=$(grep -c '"trace_digest"' all.json)
  [ "$findings" -ge 7 ] || fail "only $findings findings in all scenarios"
  # Not those of neighbours that pass.
  sed -n '/"passing": {/{n;d;}; s/^ *"schedule": "\(.*\)",\{0,1\}$/\1/p' all.json >schedules
  [ "$(wc -l <schedules)" -eq "$findings" ] || fail 'a finding without a schedule'
  number=0
  while [ "$number" -lt "$findings" ]; do
    number=$((number + 1))
    # One with stale loads of a graph has no interleaving.
    if sed -n "${number}p" schedules | grep -q '^graph/'; then
      run 64 replay all.json --finding "$number"
      continue
    fi
    run 0 replay all.json --finding "$number"
    grep -q VIOLATION out || fail "replay of finding $number shows no violation"
  done
  refused "--finding: expected an integer from 1 to $findings, not $((findings + 1))" replay all.json --finding $((findings + 1))
  # The command a report prints works as it stands.
  sed -n 's/^ *"replay": "kvrace \(.*\)"$/\1/p' all.json >commands
  [ "$(wc -l <commands)" -eq "$findings" ] || fail 'a finding without a replay command'
  while read -r arguments; do
    # Where the schedule is too long for a command line, the search that finds it again.
    eval "run 0 $arguments"
    grep -q VIOLATION out || fail "kvrace $arguments shows no violation"
  done <commands
  # A report is enough: the scenario file may be gone.
  scenario gone.json "$random" '{ "violation": "ghost_entry" }' "$ghost"
  run 0 run gone.json --report gone.report.json
  rm gone.json
  run 0 replay gone.report.json --report again.json
  grep -q '"oracle": "ghost_entry"' again.json || fail 'the report of a replay has no finding'
  # Files that are no such report.
  head -c 500 gone.report.json >cut.json
  refused 'cut.json: ' replay cut.json
  sed 's/\\"capacity_blocks\\": 2/\\"capacity_blocks\\": 0/' gone.report.json >changed.json
  refused 'changed.json: the scenario in it: /cache/capacity_blocks' replay changed.json
  sed 's/\\"capacity_blocks\\": 2/\\"capacity_blocks\\": 3/' gone.report.json >changed.json
  refused 'changed.json: expected the digest' replay changed.json
  # A schedule that the program cannot follow, or that shows something else, means nothing.
  sed 's/"schedule": "[^"]*"/"schedule": "9.9:9"/' gone.report.json >lost.json
  run 3 replay lost.json
  sed 's/"schedule": "[^"]*"/"schedule": "baseline"/' gone.report.json >lost.json
  run 3 replay lost.json
  scenario quiet.json "$random" '{ "verdict": "not_found" }'
  run 0 run quiet.json --report quiet.report.json
  refused 'quiet.report.json: expected a report with a finding' replay quiet.report.json
  run 0 replay quiet.json --schedule baseline
  run 3 replay quiet.json --schedule 9.9:9
}

# The incident is found whatever the seed, and sampled twins stay clean.
seeds() {
  seed=0
  while [ "$seed" -lt 50 ]; do
    seed=$((seed + 1))
    run 0 run 1 3 --seed "$seed"
  done
  run 0 run --all --seed 12345
}

kill_and_interrupt() {
  # Killed at any moment: there is no report, or a whole one.
  for delay in 0.00 0.01 0.02 0.03 0.04 0.05 0.06; do
    "$kvrace" run 1 3 generated_rates --report any.json >/dev/null 2>&1 &
    process=$!
    sleep "$delay"
    kill -9 "$process" 2>/dev/null
    wait "$process" 2>/dev/null
    [ ! -e any.json ] || run 0 replay any.json
    rm -f any.json
  done
  scenario long.json "$endless" '{ "verdict": "not_found" }'
  "$kvrace" run long.json --report killed.json >/dev/null 2>&1 &
  process=$!
  sleep 0.5
  kill -9 "$process"
  wait "$process" 2>/dev/null
  for file in killed.json*; do
    [ ! -e "$file" ] || fail "kill -9 left $file"
  done
  # A report that was there stays whole.
  scenario quiet.json "$random" '{ "verdict": "not_found" }'
  run 0 run quiet.json --report killed.json
  cp killed.json before.json
  "$kvrace" run long.json --report killed.json >/dev/null 2>&1 &
  process=$!
  sleep 0.5
  kill -9 "$process"
  wait "$process" 2>/dev/null
  cmp killed.json before.json || fail 'kill -9 changed an older report'
  for signal in INT TERM; do
    "$kvrace" run long.json quiet.json --report stopped.json >out 2>err &
    process=$!
    sleep 0.5
    kill -s "$signal" "$process"
    wait "$process"
    code=$?
    [ "$code" -eq 2 ] || fail "SIG$signal: exit $code, not 2"
    grep -q '"verdict": "INCOMPLETE"' stopped.json || fail "SIG$signal: no report that says INCOMPLETE"
    grep -q '"interrupted": true' stopped.json || fail "SIG$signal: the report does not say it was interrupted"
    # As many entries as scenarios, in their order, whenever it ends.
    [ "$(head -c 1 stopped.json)" = '[' ] || fail "SIG$signal: the report is no array"
    [ "$(grep -c '"schema_version"' stopped.json)" -eq 2 ] || fail "SIG$signal: not one entry a scenario"
    grep -q '"outcome": "not run"' stopped.json || fail "SIG$signal: the report does not say what was not run"
    grep -q '^  quiet.json: not run$' out || fail "SIG$signal: the text does not say what was not run"
    rm -f stopped.json
  done
  # One run of traffic is long: it is stopped in the middle.
  sed 's/"requests": [0-9]*/"requests": 1000000000/; s/"window_s": [0-9.]*/"window_s": 1000/' "$scenarios/50_traffic_mutex.json" >traffic.json
  "$kvrace" run traffic.json --report stopped.json >out 2>err &
  process=$!
  sleep 0.5
  kill -s INT "$process"
  wait "$process"
  code=$?
  [ "$code" -eq 2 ] || fail "SIGINT in traffic: exit $code, not 2"
  grep -q '"interrupted": true' stopped.json || fail 'SIGINT in traffic: the report does not say it was interrupted'
  grep -q '"qps_reached"' stopped.json || fail 'SIGINT in traffic: the report has no windows'
  run 2 run traffic.json --time 0.2
}

checkpoints() {
  run 0 prove 109 --memory-model rc11 --report whole.json
  grep -q '"digest": "[0-9a-f]*"' whole.json || fail 'no certificate'
  without_timing whole.json >whole
  run 0 prove 109 --memory-model rc11 --jobs 2 --report shared.json
  run 2 prove 109 --memory-model rc11 --runs 3000 --checkpoint proof.ckpt
  grep -q 'executions in all' out || fail 'no estimate'
  run 0 prove 109 --memory-model rc11 --resume proof.ckpt --report resumed.json
  run 0 prove 109 --memory-model rc11 --resume proof.ckpt --jobs 2 --report resumed_shared.json
  for report in shared resumed resumed_shared; do
    without_timing $report.json >other
    cmp whole other || fail "$report: another report"
  done
  run 2 prove 109 --memory-model rc11 --jobs 2 --time 0.001 --checkpoint proof.ckpt
  refused 'proof.ckpt: expected a checkpoint of this program' prove 107 --memory-model rc11 --resume proof.ckpt
  refused 'proof.ckpt: expected a checkpoint of a proof under sc' prove 109 --memory-model sc --resume proof.ckpt
  refused 'whole.json: expected a checkpoint of a proof by execution graphs' prove 109 --memory-model rc11 --resume whole.json
  : >none.ckpt
  refused 'none.ckpt: expected a checkpoint of kvrace, not an empty file' prove 109 --memory-model rc11 --resume none.ckpt
  rm none.ckpt
  refused 'none.ckpt: cannot be read' prove 109 --memory-model rc11 --resume none.ckpt
  refused '--checkpoint: expected a proof by execution graphs' prove 2 --checkpoint proof.ckpt
  refused '--resume: expected one scenario' prove 109 107 --memory-model rc11 --resume proof.ckpt
}

shrinking() {
  # After a finding, unless told otherwise; what it shrank to follows it in the report.
  run 0 run 1 --report found.json
  tr -s ' \n' ' ' <out >line
  grep -q 'Shrunk from 2 tasks, 6 operations and 1 preemption to 2 tasks, 2 operations and 1 preemption' line || fail 'a run does not shrink'
  grep -q '^Replay what it shrinks to: kvrace replay found.json --finding 2$' out || fail 'no line that replays the small one'
  run 0 replay found.json --finding 2
  grep -q '^scenario    01_ghost_entry_mutex (shrunk), ' out || fail 'the small one is not replayed'
  run 0 run 1 --no-shrink --report found.json
  ! grep -q Shrunk out || fail '--no-shrink shrinks'
  refused '--finding: expected an integer from 1 to 1, not 2' replay found.json --finding 2
  run 0 run 1 --report found.json
  run 0 shrink found.json --report small.json
  grep -q '2 tasks, 6 operations and 1 preemption to 2 tasks, 2 operations and 1 preemption' out || fail 'sizes'
  grep -q '^scenario    01_ghost_entry_mutex (shrunk), ' out || fail 'a shrunk scenario bears the name of the whole one'
  grep -q '^Replay: kvrace replay small.json$' out || fail 'no line that replays the report'
  run 0 replay small.json
  run 0 shrink small.json
  grep -q '^scenario    01_ghost_entry_mutex (shrunk), ' out || fail 'shrunk twice'
  grep -q '^Replay: kvrace shrink small.json$' out || fail 'without a report, no line that shows it again'
  # Ctrl-C leaves the smallest so far.
  sed 's/"tasks": [0-9]*/"tasks": 8/; s/"operations": [0-9]*/"operations": 40/' "$scenarios/38_generated_rates.json" >large.json
  run 0 run large.json --runs 100 --no-shrink --report large_report.json
  for command in 'shrink large_report.json --runs 1000000000' 'run large.json --runs 100'; do
    # shellcheck disable=SC2086
    "$kvrace" $command --report stopped.json >out 2>err &
    process=$!
    sleep 0.5
    kill -s INT "$process"
    wait "$process"
    code=$?
    [ "$code" -eq 0 ] || fail "SIGINT in $command: exit $code, not that of the finding"
    case $command in shrink*)
      grep -q 'Not certified: a time budget or an interrupt ended the shrinking' out || fail 'SIGINT in shrinking: the text does not say so'
      grep -q '"interrupted": true' stopped.json || fail 'SIGINT in shrinking: the report does not say so'
      run 0 replay stopped.json ;;
    esac
  done
  # Traffic: a scenario of the requests involved.
  run 0 run 53 --report found.json
  run 0 shrink found.json --report small.json
  tr -s ' \n' ' ' <out >line
  grep -q 'Shrunk from traffic of 64 workers and [0-9]* preemptions to 2 tasks, 3 operations and 2 preemptions, ' line || fail 'sizes of traffic'
  grep -q '^scenario    53_traffic_hit_not_pinned_rwlock (shrunk), ' out || fail 'the name of shrunk traffic'
  run 0 replay small.json
  # Without the runs to find one, its schedule alone, and no proof speaks about it.
  run 0 shrink found.json --runs 4
  grep -q '^scenario    53_traffic_hit_not_pinned_rwlock, ' out || fail 'the name of traffic, which is as it was'
  ! grep -q ', certified: \|0 tasks\| 0 decisions' out || fail 'a wrong claim about traffic'
}

# No result gets lost without a word and a code.
output() {
  scenario quiet.json "$random" '{ "verdict": "not_found" }'
  scenario unwanted.json "$random" '{ "verdict": "not_found" }' "$ghost"
  lost='kvrace: standard output: cannot be written'
  mkfifo ready
  for arguments in 'run quiet.json --report r.json' list --help --version; do
    for output in /dev/full closed pipe; do
      # shellcheck disable=SC2086
      case $output in
        closed) "$kvrace" $arguments >&- 2>err ;;
        # The reader says when it has closed its end.
        pipe) { read -r _ <ready; "$kvrace" $arguments 2>err; printf '%s' $? >code; } | { exec <&-; echo >ready; } ;;
        *) "$kvrace" $arguments >"$output" 2>err ;;
      esac
      code=$?
      [ "$output" != pipe ] || code=$(cat code)
      [ "$code" -eq 74 ] || fail "kvrace $arguments, $output: exit $code, not 74"
      case $(cat err) in "$lost"*) ;; *) fail "kvrace $arguments, $output: said '$(cat err)'" ;; esac
      rm -f code
    done
  done
  grep -q NOT_FOUND r.json || fail 'a lost standard output cost the report'
  "$kvrace" run unwanted.json >/dev/full 2>err
  code=$?
  [ "$code" -eq 1 ] || fail "a violation whose text is lost: exit $code, not 1"
  run 74 run quiet.json --report /dev/full
  grep -q '^kvrace: /dev/full: cannot write' err || fail "a lost report: said '$(cat err)'"
  # shellcheck disable=SC2094
  "$kvrace" run quiet.json --report both >both 2>err
  code=$?
  [ "$code" -eq 64 ] || fail "a report over standard output: exit $code, not 64"
  grep -q '^kvrace: both: cannot be written: it is standard output' err || fail "a report over standard output: said '$(cat err)'"
  # A report instead of the text.
  run 0 run quiet.json --report -
  [ "$(head -c 1 out)" = '{' ] || fail '--report - does not write JSON'
  [ ! -e - ] || fail '--report - made a file'
  # Modes and links.
  (umask 027 && "$kvrace" run quiet.json --report new.json >out)
  [ "$(stat -c %a new.json)" = 640 ] || fail "a new report has mode $(stat -c %a new.json), not what the umask leaves"
  chmod 600 new.json
  run 0 run quiet.json --report new.json
  [ "$(stat -c %a new.json)" = 600 ] || fail "a report written again has mode $(stat -c %a new.json), not its old one"
  mkdir -p elsewhere
  ln -s elsewhere/later.txt link.txt
  run 0 run quiet.json --report link.txt
  [ -L link.txt ] || fail 'a link was replaced'
  grep -q '^NOT_FOUND' elsewhere/later.txt || fail 'a link to nothing does not say where a report goes, or .txt is no text'
}

elsewhere() {
  cd / || exit 1
  "$kvrace" run 1 >"$folder/out" 2>"$folder/err" || fail 'kvrace run 1 does not work in /'
  cd "$folder" || exit 1
  # Read-only input, a name with blanks and a quote, a report through a link.
  scenario "it's a file.json" "$random" '{ "violation": "ghost_entry" }' "$ghost"
  run 0 run "it's a file.json" --report r.json
  sed -n 's/^ *"replay": "kvrace \(.*\)"$/\1/p' r.json | sed 's/\\\\/\\/g' >commands
  while read -r arguments; do eval "run 0 $arguments"; done <commands
  # A name that must not reach the terminal as it is: the line that repeats the finding says it all the same.
  control=$(printf 'a\nb\033[2J.json')
  scenario "$control" "$random" '{ "violation": "ghost_entry" }' "$ghost"
  run 0 run "$control"
  ! grep -q "$(printf '\033')" out || fail 'a control character on standard output'
  arguments=$(sed -n 's/^Replay: kvrace //p' out)
  eval "run 0 $arguments"
  "$kvrace" run 1 --report /dev/null >out 2>err || fail 'a report to /dev/null'
  [ -c /dev/null ] || fail '/dev/null was replaced'
}

# shellcheck source=scenarios/cli_reports.sh
. "$scenarios/cli_reports.sh"

"$section"
[ "$failures" -eq 0 ] || exit 1

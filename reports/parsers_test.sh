#!/usr/bin/env bash
# parsers_test.sh REPORTS_TEST: every format is read by programs of others, as far as they are installed. Says which are not.
set -euo pipefail
samples=$(mktemp -d)
trap 'rm -rf "$samples"' EXIT
KVRACE_SAMPLES=$samples "$1" 'samples are written for other programs' >"$samples/log" || {
  cat "$samples/log"
  exit 1
}

there() {
  command -v "$1" >/dev/null && return
  printf 'not checked, as there is no %s: %s\n' "$1" "$2"
  return 1
}

if there python3 'JSON and XML'; then
  python3 - "$samples" <<'END'
import glob, json, os, sys, xml.etree.ElementTree as tree
folder = sys.argv[1]
for name in ("all", "one", "none"):
    for extension in (".json", ".sarif", ".perfetto"):
        with open(f"{folder}/{name}{extension}", encoding="utf-8") as file:
            json.load(file)
    root = tree.parse(f"{folder}/{name}.xml").getroot()
    cases = root.findall("./testsuite/testcase")
    assert len(cases) == int(root.get("tests")), name
    for element in ("failure", "error", "skipped"):
        count = len(root.findall(f"./testsuite/testcase/{element}"))
        assert count == int(root.get({"failure": "failures", "error": "errors"}.get(element, element))), (name, element)
text = tree.parse(f"{folder}/one.xml").find(".//failure").text
assert text.startswith("VIOLATION  ghost entry: recency updated in a second critical section\n"), text[:100]
END
fi
if there python3 'Trace Event JSON'; then
  for name in all one none; do "${BASH_SOURCE[0]%/*}/trace_event_check" "$samples/$name.perfetto"; done
  for change in 's/"bp":"e"/"bp":"x"/' 's/"dur":1.0/"dur":-1.0/' 's/"dur":1.0/"dur":1.5/' 's/"ph":"i"/"ph":"j"/' 's/"tid":1/"tid":"1"/'; do
    sed "$change" "$samples/one.perfetto" >"$samples/broken"
    ! "${BASH_SOURCE[0]%/*}/trace_event_check" "$samples/broken" 2>"$samples/log" || { echo "not refused: $change"; exit 1; }
  done
fi
if there xmllint 'XML'; then
  xmllint --noout "$samples"/*.xml "$samples"/*.svg
fi
if there promtool 'the text of Prometheus'; then
  # What it finds unusual it says with status 3: the colons in the names of serving systems, and nothing else.
  for file in "$samples"/*.prom; do
    status=0
    promtool check metrics <"$file" >"$samples/unusual" 2>&1 || status=$?
    unexpected=$(grep -vE "^(vllm|sglang):[a-z_]+ metric names should not contain ':'$" "$samples/unusual" || true)
    [[ $status == 0 || ($status == 3 && -z $unexpected) ]] || {
      printf 'promtool, status %s: %s\n' "$status" "$unexpected"
      exit 1
    }
  done
  for name in vllm:prefix_cache_queries_total vllm:prefix_cache_hits_total sglang:cache_hit_rate; do
    grep -q "^$name{" "$samples/all.prom" || { echo "no sample of $name"; exit 1; }
  done
fi
if there dot 'graphs'; then
  dot -Tcanon "$samples/one.dot" >/dev/null
  dot -Tcanon "$samples/all.dot" >/dev/null
  dot -Tsvg -o "$samples/one.svg" "$samples/one.dot"
  grep -q 'lock mutex' "$samples/one.svg" || { echo 'the picture of a graph does not show its steps'; exit 1; }
fi

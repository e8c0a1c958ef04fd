// The lines of a time line: steps, the calls they belong to, and folds. No document here.

const unfolded_max = 64; // a trace this short is shown whole
const telling_max = 240; // of more steps that tell, the first and the last
const opened_at_once = 200;
const earlier_calls_max = 8; // of more calls that began before the first step, none is shown

// Which rows are steps of their own, and which accesses to plain data within one.
const is_data = (row) => row.operation === 0 && row.folded === undefined;

function tells(row, index, trace, pair) {
  return row.folded === undefined && (row.decisive || row.preempts || index === trace.failed || pair.includes(index));
}

// Rows that are shown whatever is folded, and their neighbours.
function telling_rows(trace, shown, pair) {
  const telling = [];
  shown.forEach((index, at) => {
    if (at === shown.length - 1 || tells(trace.rows[index], index, trace, pair)) telling.push(at);
  });
  const first = telling_max / 3;
  const few =
    telling.length <= telling_max
      ? telling
      : telling.filter(
          (at, rank) =>
            rank < first ||
            rank >= telling.length - (telling_max - first) ||
            shown[at] === trace.failed ||
            pair.includes(shown[at]),
        );
  const kept = new Set();
  for (const at of few) for (const near of [at - 1, at, at + 1]) if (shown[near] !== undefined) kept.add(shown[near]);
  return kept;
}

function calls_by_step(trace) {
  const begins = new Map();
  const ends = new Map();
  const add = (map, step, call) => map.set(step, [...(map.get(step) ?? []), call]);
  for (const call of trace.calls) {
    add(begins, call.begin, call);
    if (call.end !== 0) add(ends, call.end, call);
  }
  return { begins, ends };
}

// options: {data: whether plain accesses are shown, opened: Set of the first rows of opened folds, pair: rows that decide}.
// A line is {type: 'step', row}, {type: 'call' | 'return', task, step, text}, or {type: 'fold', row, steps, openable}.
export function lines_of(trace, { data = false, opened = new Set(), pair = [] } = {}) {
  const shown = trace.rows.flatMap((row, index) => (!is_data(row) || data || tells(row, index, trace, pair) ? [index] : []));
  const kept = shown.length <= unfolded_max ? new Set(shown) : telling_rows(trace, shown, pair);
  for (const first of opened) {
    const at = shown.indexOf(first);
    for (const index of shown.slice(at, at + opened_at_once)) kept.add(index);
  }
  const { begins, ends } = calls_by_step(trace);
  const lines = [];
  const add_calls = (step) => {
    for (const call of ends.get(step) ?? [])
      if (call.begin < step) lines.push({ type: 'return', task: call.task, step, text: call.returned });
    for (const call of begins.get(step) ?? []) {
      lines.push({ type: 'call', task: call.task, step, text: call.call });
      if (call.end === step && step !== 0) lines.push({ type: 'return', task: call.task, step, text: call.returned });
    }
  };
  let fold = null;
  const first_step = trace.rows.find((row) => row.folded === undefined)?.step ?? 0;
  const earlier = trace.calls.filter((call) => call.begin < first_step);
  if (earlier.length <= earlier_calls_max)
    for (const call of earlier) lines.push({ type: 'call', task: call.task, step: call.begin, text: call.call });
  shown.forEach((index, at) => {
    const row = trace.rows[index];
    if (row.folded !== undefined || !kept.has(index)) {
      const openable = row.folded === undefined;
      if (!fold || (fold.openable !== openable && openable))
        lines.push((fold = { type: 'fold', row: index, steps: 0, openable }));
      fold.steps += row.folded ?? 1;
      return;
    }
    fold = null;
    lines.push({ type: 'step', row: index });
    const next = trace.rows[shown[at + 1]];
    if (next?.step !== row.step) add_calls(row.step);
  });
  return lines;
}

// What reports/page_data.cc wrote, with its numbers replaced by what they stand for.

const flag = { preempts: 1, decisive: 2, stale: 4 };

function row_of(row, text) {
  if (typeof row === 'number') return { folded: row };
  const [step, task, operation, kind, object, value, site, flags, time_ns] = row;
  return {
    step,
    task,
    operation,
    kind: text(kind),
    object: text(object),
    value: text(value),
    site: text(site),
    preempts: (flags & flag.preempts) !== 0,
    decisive: (flags & flag.decisive) !== 0,
    stale: (flags & flag.stale) !== 0,
    time_ns: time_ns ?? 0,
  };
}

// {steps, tasks, rows, calls, ledger, events, failed, subject, holds, arrows}. A row is a step, or {folded: how many}. Holds and
// arrows name rows by index; a hold's end is one past the last row if the lock is not given back.
export function trace_of(facts, text) {
  if (!facts) return null;
  return {
    steps: facts.steps,
    tasks: facts.tasks.map(text),
    rows: facts.rows.map((row) => row_of(row, text)),
    calls: facts.calls.map(([task, begin, end, call, returned]) => ({
      task,
      begin,
      end,
      call: text(call),
      returned: text(returned),
    })),
    ledger: facts.ledger.map(([step, task, subject, event, detail]) => ({
      step,
      task,
      subject: text(subject),
      event: text(event),
      detail: text(detail),
    })),
    events: facts.events,
    failed: facts.failed,
    subject: text(facts.subject),
    holds: facts.holds.map(([task, lock, from, to, shared]) => ({ task, lock: text(lock), from, to, shared: shared === 1 })),
    arrows: facts.arrows.map(([kind, from, to]) => ({ kind: kind === 0 ? 'reads-from' : 'hand-over', from, to })),
  };
}

// Traces are decoded when they are looked at: most never are.
export function facts_of(document_json) {
  const text = (number) => document_json.strings[number];
  const findings = document_json.findings.map((finding) => ({
    ...finding,
    sites: finding.sites.map(text),
    shrunk: finding.shrunk && { ...finding.shrunk, sites: finding.shrunk.sites.map(text) },
  }));
  findings.forEach((finding, index) => document_json.reports[finding.report].findings.push(index));
  return { ...document_json, findings, trace: (facts) => trace_of(facts, text) };
}

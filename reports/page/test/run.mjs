// A run made by hand, as facts.js hands it on. A step is 'TASK KIND OBJECT', '!' in front: it preempts; a number is a fold.
export function run_of(steps, { calls = [], ledger = [], holds = [], arrows = [], failed = -1, subject = '' } = {}) {
  const operations = new Map();
  let number = 0;
  const rows = steps.map((step) => {
    if (typeof step === 'number') {
      number += step;
      return { folded: step };
    }
    const [, preempts, task, kind, object] = /^(!?)(\d+) (\S+) ?(.*)$/.exec(step);
    const data = kind === 'read' || kind === 'write';
    if (!data) {
      number += 1;
      operations.set(task, (operations.get(task) ?? 0) + 1);
    }
    return {
      step: number,
      task: Number(task),
      operation: data ? 0 : operations.get(task),
      kind,
      object,
      value: '',
      site: '',
      preempts: preempts !== '',
      decisive: false,
      stale: false,
      time_ns: 0,
    };
  });
  return {
    steps: rows.length,
    tasks: ['body', 'a', 'b', 'c'],
    rows,
    calls,
    ledger,
    events: ledger.length,
    failed,
    subject,
    holds,
    arrows,
  };
}

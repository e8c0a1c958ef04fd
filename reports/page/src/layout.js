// Where the marks, bars and arrows of a time line go. Numbers only: no document here.

export const line_height = 26;
const bar_step = 6;
const bar_offset = 11;

// The line at which each row stands; a row that is folded or hidden stands with the last line before it.
export function line_of_rows(trace, lines) {
  const at = new Array(trace.rows.length + 1).fill(0);
  let line = 0;
  const by_row = new Map();
  lines.forEach((each, index) => {
    if (each.row !== undefined) by_row.set(each.row, index);
  });
  for (let row = 0; row < trace.rows.length; row += 1) {
    if (by_row.has(row)) line = by_row.get(row);
    at[row] = line;
  }
  at[trace.rows.length] = lines.length - 1;
  return at;
}

// Tasks that do something on the lines, in order.
export function active_tasks(trace, lines) {
  const tasks = new Set();
  for (const line of lines) {
    if (line.type === 'step') tasks.add(trace.rows[line.row].task);
    else if (line.task !== undefined) tasks.add(line.task);
  }
  return [...tasks].sort((a, b) => a - b);
}

// Lanes wide enough for words beside the marks, or narrow ones with the words to their right.
export function lanes_of(tasks, width, { gutter = 56, label_min = 150, narrow = 30 } = {}) {
  const space = width - gutter;
  const wide = space / Math.max(tasks.length, 1) >= label_min;
  const step = wide ? space / Math.max(tasks.length, 1) : Math.min(narrow, (space * 0.4) / tasks.length);
  const x = new Map(tasks.map((task, index) => [task, gutter + index * step + (wide ? 30 : step / 2)]));
  return { wide, step, x, gutter, right: gutter + tasks.length * step };
}

// Bars of one lane that overlap stand beside each other: the first free slot, counted from the lane outwards.
export function bars_of(trace, lines, lanes) {
  const at = line_of_rows(trace, lines);
  const locks = [...new Set(trace.holds.map((hold) => hold.lock))];
  const busy = new Map();
  // What began and ended within one fold is not shown.
  return trace.holds
    .filter((hold) => lanes.x.has(hold.task) && (at[hold.from] !== at[hold.to] || hold.to === trace.rows.length))
    .map((hold) => {
      const slots = busy.get(hold.task) ?? [];
      busy.set(hold.task, slots);
      let slot = slots.findIndex((until) => until <= hold.from);
      if (slot < 0) slot = slots.length;
      slots[slot] = hold.to;
      return {
        ...hold,
        slot,
        colour: locks.indexOf(hold.lock) % 6,
        x: lanes.x.get(hold.task) - bar_offset - slot * bar_step,
        top: (at[hold.from] + 0.5) * line_height,
        bottom: (at[hold.to] + 0.5) * line_height,
        open: hold.to === trace.rows.length,
      };
    });
}

// The line along which control goes: where it stays in one task, and where it changes. `preempts` as the step it leads to.
export function path_of(trace, lines, lanes) {
  const stays = [];
  const switches = [];
  let run = null;
  lines.forEach((line, index) => {
    if (line.type === 'fold') run = null;
    if (line.type !== 'step') return;
    const { task, preempts } = trace.rows[line.row];
    const y = (index + 0.5) * line_height;
    if (run && run.task === task) {
      run.bottom = y;
      return;
    }
    if (run) switches.push({ x1: run.x, y1: run.bottom, x2: lanes.x.get(task), y2: y, preempts });
    run = { task, x: lanes.x.get(task), top: y, bottom: y };
    stays.push(run);
  });
  return { stays, switches };
}

export function arrows_of(trace, lines, lanes) {
  const at = line_of_rows(trace, lines);
  const end = (row, kind) => {
    const task = trace.rows[row].task;
    if (task === undefined || !lanes.x.has(task)) return null;
    return { x: lanes.x.get(task) - (kind === 'hand-over' ? bar_offset : 0), y: (at[row] + 0.5) * line_height, task, row };
  };
  const visible = new Set(lines.filter((line) => line.type === 'step').map((line) => line.row));
  return trace.arrows.flatMap(({ kind, from, to }) => {
    const [a, b] = [end(from, kind), end(to, kind)];
    return a && b && visible.has(from) && visible.has(to) ? [{ kind, from: a, to: b }] : [];
  });
}

// An arrow leaves downwards and arrives from above, so that it crosses between the words of two lines.
export function arrow_path({ from, to }, gap = 7) {
  const [y1, y2] = [from.y + gap * 0.7, to.y - gap];
  const bend = Math.max(10, Math.abs(y2 - y1) * 0.5);
  return `M${from.x.toFixed(1)},${y1.toFixed(1)} C${from.x.toFixed(1)},${(y1 + bend).toFixed(1)} ${to.x.toFixed(1)},${(y2 - bend).toFixed(1)} ${to.x.toFixed(1)},${y2.toFixed(1)}`;
}

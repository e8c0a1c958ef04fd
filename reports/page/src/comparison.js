// A failing run beside the nearest one that passes. What both did is known by task and that task's own count, which no schedule shifts.

const place = (row) => (row.operation ? `${row.task}.${row.operation}` : null);

// Map from the failing run's rows to those of the passing one.
export function same_operations(failing, passing) {
  const there = new Map();
  passing.rows.forEach((row, index) => {
    if (place(row)) there.set(place(row), index);
  });
  const same = new Map();
  failing.rows.forEach((row, index) => {
    if (place(row) && there.has(place(row))) same.set(index, there.get(place(row)));
  });
  return same;
}

// The rows [failing, passing] at which the runs first do different things; null if one is the beginning of the other.
export function parting(failing, passing) {
  const steps = (trace) => trace.rows.flatMap((row, index) => (place(row) ? [{ place: place(row), index }] : []));
  const here = steps(failing);
  const there = steps(passing);
  for (let i = 0; i < Math.min(here.length, there.length); i += 1) {
    if (here[i].place !== there[i].place) return [here[i].index, there[i].index];
  }
  return null;
}

// Two steps of different tasks on one object whose order is the other way round where it passes, the last such pair: rows of the
// failing run. As the claim of a shrunk finding has it.
export function deciding_pair(failing, passing) {
  const same = same_operations(failing, passing);
  for (let later = failing.rows.length - 1; later > 0; later -= 1) {
    if (!same.has(later)) continue;
    for (let earlier = later - 1; earlier >= 0; earlier -= 1) {
      if (!same.has(earlier) || same.get(earlier) < same.get(later)) continue;
      const [a, b] = [failing.rows[earlier], failing.rows[later]];
      if (a.task !== b.task && a.object !== '' && a.object === b.object) return [earlier, later];
    }
  }
  return null;
}

// The step that failed and the last one before it of another task, on the same object and at another of the finding's two places: the
// accesses that race, or an end of life and a use after it. Rows; null if there is no such pair.
export function pair_at_sites(trace, sites) {
  const later = trace.rows[trace.failed];
  if (sites.length !== 2 || !later || later.object === '' || !sites.includes(later.site)) return null;
  const other = sites[0] === later.site ? sites[1] : sites[0];
  for (let earlier = trace.failed - 1; earlier >= 0; earlier -= 1) {
    const row = trace.rows[earlier];
    if (row.task !== later.task && row.object === later.object && row.site === other) return [earlier, trace.failed];
  }
  return null;
}

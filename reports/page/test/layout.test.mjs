import assert from 'node:assert/strict';
import test from 'node:test';
import { active_tasks, arrows_of, bars_of, lanes_of, line_height, path_of } from '../src/layout.js';
import { lines_of } from '../src/lines.js';
import { run_of } from './run.mjs';

const laid_out = (trace, width = 600) => {
  const lines = lines_of(trace);
  return { lines, lanes: lanes_of(active_tasks(trace, lines), width) };
};
const middle = (line) => (line + 0.5) * line_height;

test('only tasks that do something have a lane, in order', () => {
  const trace = run_of(['3 lock m', '1 lock m']);
  assert.deepEqual(active_tasks(trace, lines_of(trace)), [1, 3]);
});

test('lanes are wide while words fit beside the marks, and never leave the picture', () => {
  assert.ok(lanes_of([1, 2], 600).wide);
  assert.ok(!lanes_of([1, 2, 3, 4], 600).wide);
  const crowd = lanes_of(
    Array.from({ length: 64 }, (_, index) => index),
    900,
  );
  assert.ok(Math.max(...crowd.x.values()) < 900);
  assert.ok(lanes_of([], 600).wide);
});

test('a bar reaches from the step that takes a lock to the one that gives it back; overlapping ones stand beside each other', () => {
  const trace = run_of(['1 lock m', '1 lock n', '1 unlock n', '1 unlock m'], {
    holds: [
      { task: 1, lock: 'm', from: 0, to: 3, shared: false },
      { task: 1, lock: 'n', from: 1, to: 2, shared: false },
    ],
  });
  const { lines, lanes } = laid_out(trace);
  const [outer, inner] = bars_of(trace, lines, lanes);
  assert.deepEqual([outer.top, outer.bottom], [middle(0), middle(3)]);
  assert.deepEqual([inner.top, inner.bottom], [middle(1), middle(2)]);
  assert.notEqual(outer.x, inner.x);
  assert.notEqual(outer.colour, inner.colour);
});

test('a lock that is not given back is held to the last line', () => {
  const trace = run_of(['1 lock m', '2 lock n'], { holds: [{ task: 1, lock: 'm', from: 0, to: 2, shared: false }] });
  const { lines, lanes } = laid_out(trace);
  const [bar] = bars_of(trace, lines, lanes);
  assert.ok(bar.open);
  assert.equal(bar.bottom, middle(1));
});

test('control stays in a lane while its task runs, and a switch says whether it preempts', () => {
  const trace = run_of(['1 lock m', '1 unlock m', '!2 lock m', '1 lock m']);
  const { lines, lanes } = laid_out(trace);
  const { stays, switches } = path_of(trace, lines, lanes);
  assert.deepEqual(
    stays.map(({ task, top, bottom }) => [task, top, bottom]),
    [
      [1, middle(0), middle(1)],
      [2, middle(2), middle(2)],
      [1, middle(3), middle(3)],
    ],
  );
  assert.deepEqual(
    switches.map((each) => each.preempts),
    [true, false],
  );
});

test('an arrow is drawn if both of its steps are shown', () => {
  const trace = run_of([7, '1 unlock m', '2 lock m'], {
    arrows: [
      { kind: 'hand-over', from: 1, to: 2 },
      { kind: 'reads-from', from: 0, to: 2 },
    ],
  });
  const { lines, lanes } = laid_out(trace);
  assert.deepEqual(
    arrows_of(trace, lines, lanes).map((arrow) => [arrow.kind, arrow.from.row, arrow.to.row]),
    [['hand-over', 1, 2]],
  );
});

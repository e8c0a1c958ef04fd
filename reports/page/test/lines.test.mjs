import assert from 'node:assert/strict';
import test from 'node:test';
import { lines_of } from '../src/lines.js';
import { run_of } from './run.mjs';

const said = (lines) => lines.map((line) => line.text ?? (line.type === 'fold' ? `fold ${line.steps}` : line.row));

test('accesses to plain data are hidden until they are asked for, unless they tell', () => {
  const trace = run_of(['1 lock m', '1 read v', '1 unlock m', '2 write v'], { failed: 3 });
  assert.deepEqual(said(lines_of(trace)), [0, 2, 3]);
  assert.deepEqual(said(lines_of(trace, { data: true })), [0, 1, 2, 3]);
});

test('a call stands after the step before it, its return after its last step; of two the earlier call returns first', () => {
  const trace = run_of(['1 lock m', '1 unlock m', '1 lock m'], {
    calls: [
      { task: 1, begin: 0, end: 2, call: 'get', returned: 'miss' },
      { task: 1, begin: 2, end: 0, call: 'put', returned: '' },
    ],
  });
  assert.deepEqual(said(lines_of(trace)), ['get', 0, 1, 'miss', 'put', 2]);
});

test('a long run is folded around what tells, and opens piece by piece', () => {
  const steps = Array.from({ length: 1000 }, (_, index) => (index === 500 ? '!2 lock m' : '1 lock m'));
  const trace = run_of(steps, { failed: 999 });
  const folded = lines_of(trace);
  assert.deepEqual(said(folded), ['fold 499', 499, 500, 501, 'fold 496', 998, 999]);
  assert.ok(folded[0].openable);
  const opened = lines_of(trace, { opened: new Set([folded[0].row]) });
  assert.equal(opened.filter((line) => line.type === 'step').length, 5 + 200);
  assert.equal(opened.find((line) => line.type === 'fold').steps, 299);
});

test('what the report left out cannot be opened, and is counted', () => {
  const lines = lines_of(run_of([990, '1 lock m', 5, '1 unlock m']));
  assert.deepEqual(said(lines), ['fold 990', 1, 'fold 5', 3]);
  assert.ok(lines.filter((line) => line.type === 'fold').every((line) => !line.openable));
});

test('the steps that decide are never folded', () => {
  const trace = run_of(Array.from({ length: 200 }, () => '1 lock m'));
  assert.ok(said(lines_of(trace, { pair: [100] })).includes(100));
});

test('every step is either a line or counted in a fold', () => {
  for (const length of [1, 63, 64, 65, 66, 500]) {
    const trace = run_of(Array.from({ length }, (_, index) => (index % 97 === 0 ? '!1 lock m' : '2 lock m')));
    const sum = lines_of(trace).reduce((all, line) => all + (line.type === 'fold' ? line.steps : 1), 0);
    assert.equal(sum, length);
  }
});

test('of very many steps that tell, the first, the last and where it failed are shown', () => {
  const trace = run_of(
    Array.from({ length: 4000 }, () => '!1 lock m'),
    { failed: 2000 },
  );
  const lines = lines_of(trace);
  assert.ok(lines.length < 260);
  for (const row of [0, 2000, 3999]) assert.ok(said(lines).includes(row));
});

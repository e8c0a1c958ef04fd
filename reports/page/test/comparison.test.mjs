import assert from 'node:assert/strict';
import test from 'node:test';
import { deciding_pair, pair_at_sites, parting, same_operations } from '../src/comparison.js';
import { run_of } from './run.mjs';

const failing = run_of(['1 lock m', '1 unlock m', '!2 lock m', '2 unlock m', '1 store x']);
const passing = run_of(['1 lock m', '1 unlock m', '1 store x', '2 lock m', '2 unlock m', '0 join']);

test("what two runs have in common is found by the tasks' own counts", () => {
  assert.deepEqual(
    [...same_operations(failing, passing)],
    [
      [0, 0],
      [1, 1],
      [2, 3],
      [3, 4],
      [4, 2],
    ],
  );
});

test("runs part at the first step that is another task's; one that is the beginning of the other does not part", () => {
  assert.deepEqual(parting(failing, passing), [2, 2]);
  assert.equal(parting(passing, run_of(['1 lock m'])), null);
});

test('accesses to plain data are no steps at which runs part', () => {
  assert.deepEqual(parting(run_of(['1 lock m', '1 read v', '1 unlock m']), run_of(['1 lock m', '2 lock n'])), [2, 1]);
});

test('a pair decides if it is about one object, of two tasks, and in the other order where it passes', () => {
  assert.equal(deciding_pair(failing, passing), null); // what changed places is not about one object
  const late = run_of(['1 lock m', '1 unlock m', '2 lock m', '2 unlock m']);
  const early = run_of(['2 lock m', '2 unlock m', '1 lock m', '1 unlock m']);
  assert.deepEqual(deciding_pair(late, early), [1, 3]);
  assert.equal(deciding_pair(late, late), null);
});

test('folded rows decide nothing', () => {
  assert.equal(deciding_pair(run_of([5, '1 lock m']), run_of(['1 lock m', 3])), null);
});

test('accesses that race are the one that failed and the last one before it at the other place', () => {
  const race = run_of(['1 write v', '1 write v', '2 write w', '1 read v', '2 write v'], { failed: 4 });
  const places = ['a.h:1', 'a.h:1', 'a.h:1', 'a.h:2', 'b.h:1'];
  race.rows.forEach((row, index) => {
    row.site = places[index];
  });
  assert.deepEqual(pair_at_sites(race, ['a.h:1', 'b.h:1']), [1, 4]);
  assert.equal(pair_at_sites(race, ['b.h:1']), null);
  assert.equal(pair_at_sites(race, ['a.h:1', 'a.h:2']), null);
});

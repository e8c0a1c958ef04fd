import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { facts_of } from '../src/facts.js';
import { count, percent, seconds, short_object, short_site } from '../src/words.js';

test('numbers are replaced by what they stand for, and findings are known to their report', () => {
  const facts = facts_of({
    strings: ['', 'body', 'lock', "mutex 'm'", 'a/b.h:3'],
    groups: [],
    tally: {},
    oracles: {},
    reports: [{ findings: [] }],
    findings: [{ report: 0, sites: [4], trace: null }],
  });
  assert.deepEqual(facts.reports[0].findings, [0]);
  assert.deepEqual(facts.findings[0].sites, ['a/b.h:3']);
  const trace = facts.trace({
    steps: 6,
    tasks: [1],
    rows: [5, [6, 0, 1, 2, 3, 0, 4, 5, 1500]],
    calls: [[0, 1, 2, 2, 0]],
    ledger: [[6, 0, 3, 2, 0]],
    events: 1,
    failed: 1,
    subject: 3,
    holds: [[0, 3, 1, 2, 1]],
    arrows: [[0, 0, 1]],
  });
  assert.deepEqual(trace.rows[0], { folded: 5 });
  assert.deepEqual(trace.rows[1], {
    step: 6,
    task: 0,
    operation: 1,
    kind: 'lock',
    object: "mutex 'm'",
    value: '',
    site: 'a/b.h:3',
    preempts: true,
    decisive: false,
    stale: true,
    time_ns: 1500,
  });
  assert.equal(trace.holds[0].shared, true);
  assert.equal(trace.arrows[0].kind, 'reads-from');
});

test('numbers are said exactly where they are exact, and as no data where there is none', () => {
  assert.equal(count('18446744073709551615'), '18\u202f446\u202f744\u202f073\u202f709\u202f551\u202f615');
  assert.equal(count(999), '999');
  assert.equal(percent(0, 0), '–');
  assert.equal(percent(1, 6), '16.7\u202f%');
  assert.equal(percent(3, 1000), '0.30\u202f%');
  assert.equal(percent(1, 2), '50\u202f%');
  assert.equal(seconds(null), '');
  assert.equal(seconds(0.0025), '2.50 ms');
});

test('objects and places are cut to what tells them apart', () => {
  assert.equal(short_object("mutex 'pool'"), 'pool');
  assert.equal(short_object('mutex 0.1'), 'mutex 0.1');
  assert.equal(short_site('cache_model/locking/mutex.h:34'), 'mutex.h:34');
});

test('no module makes markup out of text', () => {
  const folder = new URL('../src/', import.meta.url);
  for (const name of readdirSync(folder)) {
    const source = readFileSync(new URL(name, folder), 'utf8');
    assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function/, name);
  }
});

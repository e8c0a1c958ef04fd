// One report: the verdict and its claim on top, then what they rest on.
import { h } from './dom.js';
import { finding_view } from './finding.js';
import { fact_list, folded_text, verdict_badge } from './parts.js';
import { traffic_view } from './traffic.js';
import { count, counted, percent, seconds } from './words.js';

const findings_open = 3; // the others are made when they are asked for

function head(report) {
  const expectation =
    report.expected === ''
      ? null
      : h(
          'span',
          { class: `expectation tone-${report.met ? 'good' : 'bad'}` },
          h('span', { 'aria-hidden': 'true' }, report.met ? '✓ ' : '✕ '),
          report.outcome || (report.met ? 'as expected' : 'not as expected'),
        );
  return h(
    'header',
    { class: 'report-head' },
    h('p', { class: 'over' }, report.path || report.name),
    h('div', { class: 'verdict-line' }, verdict_badge(report.verdict, { large: true }), expectation),
    h('h1', { tabindex: -1 }, report.name),
    h('p', { class: 'claim' }, report.claim),
    fact_list([
      ['asked for', report.expected],
      ['strategy', report.strategy],
      ['seed', report.mode === 'run' ? count(report.seed) : null],
      ['took', seconds(report.time_s)],
    ]),
  );
}

function rates(report) {
  const shown = report.rates.filter(([, , denominator]) => Number(denominator) !== 0);
  if (shown.length === 0) return null;
  return h(
    'ul',
    { class: 'tiles' },
    shown.map(([name, numerator, denominator]) =>
      h(
        'li',
        null,
        h('span', { class: 'tile-value' }, percent(numerator, denominator)),
        h('span', { class: 'tile-name' }, name),
        h('span', { class: 'tile-note' }, `${count(numerator)} of ${count(denominator)}`),
      ),
    ),
  );
}

function by_bound(executions) {
  if (executions.length < 2) return null;
  const most = Math.max(...executions.map(Number));
  return h(
    'figure',
    { class: 'bounds' },
    h('figcaption', null, 'Executions with at most so many preemptions'),
    h(
      'ol',
      { start: 0 },
      executions.map((value, preemptions) =>
        h(
          'li',
          null,
          h('span', { class: 'bound' }, String(preemptions)),
          h(
            'span',
            { class: 'bar', 'aria-hidden': 'true' },
            h('span', { style: { width: `${(100 * Number(value)) / (most || 1)}%` } }),
          ),
          h('span', { class: 'number' }, count(value)),
        ),
      ),
    ),
  );
}

function numbers(report) {
  const facts = (title, pairs) =>
    pairs?.length > 0 &&
    h(
      'section',
      { class: 'numbers' },
      h('h3', null, title),
      fact_list(pairs.map(([name, value]) => [name.replaceAll('_', ' '), typeof value === 'number' ? count(value) : value])),
    );
  return h(
    'section',
    { class: 'evidence', 'aria-labelledby': 'evidence-title' },
    h('h2', { id: 'evidence-title' }, 'What it rests on'),
    rates(report),
    h(
      'div',
      { class: 'columns' },
      facts('Explored', report.counts),
      facts('Limits of the claim', report.bounds),
      facts('Certificate', report.certificate),
      facts(
        'Sums over all runs',
        report.metrics.filter(([, value]) => value !== 0),
      ),
    ),
    by_bound(report.by_bound),
    report.text && folded_text('The scenario', report.text),
    h('p', { class: 'note' }, report.build),
  );
}

// The findings of a report; those after the first few open when asked for.
function findings_of(report, facts, first_number, views) {
  const of = report.found;
  return report.findings.map((index, at) => {
    const finding = facts.findings[index];
    const make = () => {
      const { element, view } = finding_view(finding, facts, { number: finding.number, of });
      views.push(view);
      return element;
    };
    if (finding.number === first_number || at < findings_open) return h('div', { 'data-finding': finding.number }, make());
    const details = h(
      'details',
      {
        class: 'finding-folded',
        'data-finding': finding.number,
        toggle: () => {
          if (details.open && details.children.length === 1) details.append(make());
        },
      },
      h('summary', null, `Finding ${finding.number}: ${finding.oracle.replaceAll('_', ' ')} — ${finding.message}`),
    );
    return details;
  });
}

export function report_view(report, facts, first_number = 1) {
  const views = [];
  const element = h(
    'div',
    { class: 'report' },
    head(report),
    h(
      'section',
      { class: 'findings', 'aria-label': 'Findings' },
      findings_of(report, facts, first_number, views),
      report.found > report.findings.length &&
        h('p', { class: 'note' }, `${counted(report.found - report.findings.length, 'more finding')} in the JSON report.`),
    ),
    report.traffic && traffic_view(report.traffic),
    numbers(report),
  );
  return { element, timelines: () => views.flatMap((view) => view.timelines) };
}

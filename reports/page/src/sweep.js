// A sweep: the share of polluted requests over the load, a chart for each locking strategy, a curve for each set of flaws.
import { format } from 'd3-format';
import { h } from './dom.js';
import { line_chart } from './charts.js';
import { copyable, fact_list, folded_text, table } from './parts.js';
import { count, seconds } from './words.js';

const share = format('.2~%');
const shares = (point) => `${share(point.pollution.low)} to ${share(point.pollution.high)}`;
const name_of = (curve) => curve.flaw_set || (curve.flaws.length === 0 ? 'no flaws' : curve.flaws.join(', '));

function pollution_chart(locking, curves, y_max) {
  return line_chart({
    title: `Polluted requests under load: ${locking}`,
    x_name: 'requests a second, offered',
    y_format: share,
    y_max,
    series: curves.map((curve) => ({
      name: name_of(curve),
      points: curve.points.map((point) => [point.qps, point.pollution.mean]),
      band: curve.points.map((point) => [point.qps, point.pollution.low, point.pollution.high]),
    })),
  });
}

function latency_chart(locking, curves) {
  return line_chart({
    title: `Latency, 99th percentile in ms: ${locking}`,
    x_name: 'requests a second, offered',
    series: curves.map((curve) => ({
      name: name_of(curve),
      points: curve.points.map((point) => [point.qps, point.latency_ms.p99]),
    })),
  });
}

function curve_numbers(curve) {
  const ways = [...new Set(curve.points.flatMap((point) => Object.keys(point.polluted_by)))];
  const title = `${curve.locking}, ${name_of(curve)}`;
  return h(
    'details',
    null,
    h('summary', null, title),
    table(
      title,
      [
        'offered',
        'reached',
        'runs',
        'completed',
        'polluted',
        'mean share',
        'interval',
        ...ways.map((way) => `by ${way.replaceAll('_', ' ')}`),
      ],
      curve.points.map((point) => [
        count(point.qps),
        format('.1f')(point.qps_reached),
        count(point.runs),
        count(point.completed),
        count(point.polluted),
        share(point.pollution.mean),
        shares(point),
        ...ways.map((way) => count(point.polluted_by[way] ?? 0)),
      ]),
      { numeric: [...Array(7 + ways.length).keys()] },
    ),
  );
}

export function sweep_view(sweep) {
  const lockings = [...new Set(sweep.curves.map((curve) => curve.locking))];
  const of = (locking) => sweep.curves.filter((curve) => curve.locking === locking);
  const most = Math.max(...sweep.curves.flatMap((curve) => curve.points.map((point) => point.pollution.high)));
  const met = sweep.answers.filter((answer) => answer.met).length;
  return h(
    'div',
    { class: 'report' },
    h(
      'header',
      { class: 'report-head' },
      h('p', { class: 'over' }, sweep.scenario.path),
      h('h1', { tabindex: -1 }, sweep.scenario.name),
      h(
        'p',
        { class: 'claim' },
        sweep.answers.length === 0
          ? 'A sweep over loads, locking strategies and sets of flaws.'
          : `${count(met)} of ${count(sweep.answers.length)} answers as the scenario asks for them.`,
      ),
      fact_list([
        ['seeds', `${count(sweep.seeds.count)}, from ${count(sweep.seeds.first)}`],
        ['requests in a run', count(sweep.requests)],
        ['interval', sweep.interval],
        ['took', seconds(sweep.timing.time_s)],
      ]),
    ),
    h(
      'section',
      { class: 'traffic', 'aria-label': 'Curves' },
      h(
        'div',
        { class: 'charts' },
        lockings.map((locking) => pollution_chart(locking, of(locking), most)),
        lockings.map((locking) => latency_chart(locking, of(locking))),
      ),
    ),
    sweep.answers.length !== 0 &&
      h(
        'section',
        { class: 'evidence', 'aria-labelledby': 'answers-title' },
        h('h2', { id: 'answers-title' }, 'What had to come out'),
        table(
          'Answers',
          ['asked for', 'came out', 'met'],
          sweep.answers.map((answer) => [
            answer.expected,
            answer.outcome,
            h('span', { class: `tone-${answer.met ? 'good' : 'bad'}` }, answer.met ? '✓ yes' : '✕ no'),
          ]),
        ),
      ),
    h(
      'section',
      { class: 'evidence', 'aria-labelledby': 'numbers-title' },
      h('h2', { id: 'numbers-title' }, 'Numbers'),
      sweep.curves.map(curve_numbers),
    ),
    h('div', { class: 'commands' }, copyable('Repeat it', sweep.command)),
    folded_text('The scenario', sweep.scenario.text),
    h(
      'p',
      { class: 'note' },
      `kvrace ${sweep.build.project_version}, ${sweep.build.compiler}, ${sweep.build.build_type}, ${sweep.build.target}`,
    ),
  );
}

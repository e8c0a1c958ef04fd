// Traffic over virtual time, as small charts side by side.
import { format } from 'd3-format';
import { h } from './dom.js';
import { line_chart } from './charts.js';
import { fact_list } from './parts.js';
import { count, percent } from './words.js';

export function traffic_view(traffic) {
  const { windows, total } = traffic;
  const over_time = (name, value) => ({ name, points: windows.map((window) => [window.start, value(window)]) });
  const rate = (name) =>
    over_time(name, (window) => {
      const found = window.rates.find(([each]) => each === name);
      return found && Number(found[2]) !== 0 ? Number(found[1]) / Number(found[2]) : null;
    });
  const x_name = 'virtual seconds';
  const known = (total.rates ?? []).map(([name]) => name);
  const harm = ['pollution', 'ghost', 'stale'].filter((name) => known.includes(name)).map(rate);
  const charts = [
    line_chart({
      title: 'Requests a second',
      x_name,
      series: [over_time('offered', (w) => w.offered), over_time('reached', (w) => w.reached)],
    }),
    line_chart({
      title: 'Latency, ms',
      x_name,
      series: ['p50', 'p90', 'p99'].map((name, at) => over_time(name, (w) => w.latency[at])),
    }),
    line_chart({
      title: 'Requests, mean over time',
      x_name,
      series: [over_time('in flight', (w) => w.in_flight[0]), over_time('queued', (w) => w.queued[0])],
    }),
    harm.length !== 0 &&
      line_chart({ title: 'What went wrong, share of requests', x_name, series: harm, y_format: format('.2~%'), y_max: 0.01 }),
    known.includes('hit') &&
      line_chart({ title: 'Tokens from the cache', x_name, series: [rate('hit')], y_format: format('.0%'), y_max: 1 }),
  ].filter(Boolean);
  return h(
    'section',
    { class: 'traffic', 'aria-labelledby': 'traffic-title' },
    h('h2', { id: 'traffic-title' }, 'Traffic'),
    fact_list([
      ['arrived', count(total.arrivals)],
      ['completed', count(total.completed)],
      ['cancelled', count(total.cancelled)],
      ['invalidations', count(total.invalidations)],
      ['starved', count(total.starved)],
      ...total.rates.map(([name, numerator, denominator]) => [name, percent(numerator, denominator)]),
    ]),
    windows.length > 1 && h('div', { class: 'charts' }, charts),
    traffic.of > windows.length &&
      h('p', { class: 'note' }, `The first ${count(windows.length)} of ${count(traffic.of)} windows; the JSON report has all.`),
  );
}

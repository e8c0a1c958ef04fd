// Line charts as SVG. Each says in words what it shows, and its numbers stand in a table beneath.
import { extent } from 'd3-array';
import { format } from 'd3-format';
import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { h, svg } from './dom.js';
import { table } from './parts.js';

const size = { width: 460, height: 200, left: 46, right: 96, top: 12, bottom: 34 };
const dashes = ['', '6 3', '2 3', '8 3 2 3', '1 4'];

const finite = (value) => value !== null && Number.isFinite(value);

function axes(x, y, { x_name, y_format }) {
  const short = format('~s');
  return svg(
    'g',
    { class: 'axes', 'aria-hidden': 'true' },
    y
      .ticks(4)
      .map((tick) => [
        svg('line', { x1: size.left, x2: size.width - size.right, y1: y(tick), y2: y(tick) }),
        svg('text', { x: size.left - 8, y: y(tick), dy: '0.32em', 'text-anchor': 'end' }, y_format(tick)),
      ]),
    x
      .ticks(6)
      .map((tick) => svg('text', { x: x(tick), y: size.height - size.bottom + 16, 'text-anchor': 'middle' }, short(tick))),
    svg(
      'text',
      { class: 'axis-name', x: (size.left + size.width - size.right) / 2, y: size.height - 4, 'text-anchor': 'middle' },
      x_name,
    ),
  );
}

// Names at the ends of the lines, moved apart where they would overlap.
function names_at_ends(series, y) {
  const ends = series
    .flatMap((each, index) => {
      const last = each.points.filter(([, value]) => finite(value)).at(-1);
      return last ? [{ index, name: each.name, y: y(last[1]) }] : [];
    })
    .sort((a, b) => a.y - b.y);
  ends.forEach((end, at) => {
    if (at > 0) end.y = Math.max(end.y, ends[at - 1].y + 13);
  });
  let lowest = size.height - size.bottom;
  for (const end of ends.reverse()) {
    end.y = Math.min(end.y, lowest);
    lowest = end.y - 13;
  }
  return ends.map((end) =>
    svg('text', { class: `series-name series-${end.index}`, x: size.width - size.right + 8, y: end.y, dy: '0.32em' }, end.name),
  );
}

function in_words(title, series, y_format) {
  return `${title}. ${series
    .map(({ name, points }) => {
      const [least, most] = extent(points.map(([, value]) => value).filter(finite));
      return least === undefined ? `${name}: no data` : `${name}: from ${y_format(least)} to ${y_format(most)}`;
    })
    .join('; ')}.`;
}

// series: [{name, points: [[x, y or null]], band: [[x, low, high]]?}]
export function line_chart({ title, x_name, series, y_format = format('~s'), y_max = 0, note = null }) {
  const points = series.flatMap((each) => each.points);
  const bands = series.flatMap((each) => each.band ?? []);
  const x = scaleLinear(
    extent(points, ([at]) => at),
    [size.left, size.width - size.right],
  );
  const most = Math.max(y_max, ...points.map(([, value]) => value ?? 0), ...bands.map(([, , high]) => high));
  const y = scaleLinear([0, most || 1], [size.height - size.bottom, size.top]).nice(4);
  const path = line()
    .defined(([, value]) => finite(value))
    .x(([at]) => x(at))
    .y(([, value]) => y(value));
  const between = area()
    .x(([at]) => x(at))
    .y0(([, low]) => y(low))
    .y1(([, , high]) => y(high));
  const xs = [...new Set(points.map(([at]) => at))].sort((a, b) => a - b);
  const value_at = (each, at) => each.points.find(([where]) => where === at)?.[1];
  const cell = (value) => (finite(value ?? null) ? y_format(value) : '–');
  return h(
    'figure',
    { class: 'chart' },
    h('figcaption', null, title),
    svg(
      'svg',
      { viewBox: `0 0 ${size.width} ${size.height}`, role: 'img', 'aria-label': in_words(title, series, y_format) },
      axes(x, y, { x_name, y_format }),
      series.map((each, index) => [
        each.band && svg('path', { class: `band series-${index}`, d: between(each.band) }),
        svg('path', {
          class: `series series-${index}`,
          d: path(each.points) ?? '',
          'stroke-dasharray': dashes[index % dashes.length],
        }),
        each.points.length <= 30 &&
          each.points
            .filter(([, value]) => finite(value))
            .map(([at, value]) => svg('circle', { class: `dot series-${index}`, cx: x(at), cy: y(value), r: 2.2 })),
      ]),
      names_at_ends(series, y),
    ),
    note && h('p', { class: 'note' }, note),
    h(
      'details',
      null,
      h('summary', null, 'Numbers'),
      table(
        title,
        [x_name, ...series.map((each) => each.name)],
        xs.map((at) => [format('~r')(at), ...series.map((each) => cell(value_at(each, at)))]),
        { numeric: [...Array(series.length + 1).keys()] },
      ),
    ),
  );
}

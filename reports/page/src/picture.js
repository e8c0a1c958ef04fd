// The drawing behind the words of a time line. Decoration to a screen reader: the words say the same.
import { svg, new_id } from './dom.js';
import { draw_mark } from './marks.js';
import { arrow_path, arrows_of, bars_of, line_height, path_of } from './layout.js';

const arrow_head = (id, kind) =>
  svg(
    'marker',
    {
      id,
      class: `head ${kind}`,
      viewBox: '0 0 8 8',
      refX: 6.5,
      refY: 4,
      markerWidth: 7,
      markerHeight: 7,
      orient: 'auto-start-reverse',
    },
    svg('path', { d: 'M0.5,0.8L7,4L0.5,7.2z' }),
  );

function calls(trace, lines, lanes) {
  const open = new Map();
  const spans = [];
  lines.forEach((line, index) => {
    if (line.type === 'call') open.set(line.task, index);
    if (line.type === 'return' && open.has(line.task)) {
      spans.push([line.task, open.get(line.task), index]);
      open.delete(line.task);
    }
  });
  for (const [task, from] of open) spans.push([task, from, lines.length - 1]);
  const width = Math.min(16, lanes.step);
  return spans
    .filter(([task]) => lanes.x.has(task))
    .map(([task, from, to]) =>
      svg('rect', {
        class: 'call-span',
        x: lanes.x.get(task) - width / 2,
        y: from * line_height + 4,
        width,
        height: (to - from + 1) * line_height - 8,
        rx: width / 2,
      }),
    );
}

function bar(each) {
  const height = Math.max(each.bottom - each.top, 6);
  const common = {
    x: each.x - 2,
    y: each.top,
    width: 4,
    height,
    rx: 2,
    class: `hold lock-${each.colour}${each.shared ? ' shared' : ''}`,
  };
  return [
    svg('rect', common, svg('title', null, `${each.shared ? 'shared ' : ''}hold of ${each.lock}`)),
    each.open && svg('circle', { cx: each.x, cy: each.top + height, r: 3, class: `hold lock-${each.colour}` }),
  ];
}

function control(trace, lines, lanes) {
  const { stays, switches } = path_of(trace, lines, lanes);
  return [
    switches.map(({ x1, y1, x2, y2, preempts }) => {
      const middle = (y1 + y2) / 2;
      return svg('path', {
        class: preempts ? 'switch preempts' : 'switch',
        d: `M${x1},${y1}C${x1},${middle} ${x2},${middle} ${x2},${y2}`,
      });
    }),
    stays
      .filter((stay) => stay.bottom > stay.top)
      .map((stay) => svg('line', { class: 'stay', x1: stay.x, x2: stay.x, y1: stay.top, y2: stay.bottom })),
  ];
}

// Groups of it answer to the selected line: see select_in_picture.
export function picture(trace, lines, lanes, width) {
  const height = lines.length * line_height;
  const heads = { 'reads-from': new_id('head'), 'hand-over': new_id('head') };
  const arrows = arrows_of(trace, lines, lanes).map((each) =>
    svg('path', {
      class: `arrow ${each.kind}`,
      d: arrow_path(each),
      'marker-end': `url(#${heads[each.kind]})`,
      'data-from': each.from.row,
      'data-to': each.to.row,
    }),
  );
  return svg(
    'svg',
    { class: 'picture', width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true', focusable: 'false' },
    svg(
      'defs',
      null,
      Object.entries(heads).map(([kind, id]) => arrow_head(id, kind)),
    ),
    [...lanes.x.values()].map((x) => svg('line', { class: 'lane', x1: x, x2: x, y1: 0, y2: height })),
    calls(trace, lines, lanes),
    control(trace, lines, lanes),
    bars_of(trace, lines, lanes).map(bar),
    svg('g', { class: 'arrows' }, arrows),
    lines.flatMap((line, index) =>
      line.type === 'step'
        ? draw_mark(trace.rows[line.row].kind, lanes.x.get(trace.rows[line.row].task), (index + 0.5) * line_height)
        : [],
    ),
  );
}

export function select_in_picture(element, row) {
  for (const arrow of element.querySelectorAll('.arrow')) {
    arrow.classList.toggle('touched', arrow.dataset.from === String(row) || arrow.dataset.to === String(row));
  }
}

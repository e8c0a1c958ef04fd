// A run as a time line: a lane a task, a line a step. A list box to keyboards and screen readers.
import { h, new_id } from './dom.js';
import { active_tasks, lanes_of, line_height } from './layout.js';
import { lines_of } from './lines.js';
import { picture, select_in_picture } from './picture.js';
import { counted, short_kind, short_object, short_site, spaced, virtual_time } from './words.js';

const lane_head_min = 22; // narrower lanes have no names: every line says whose it is
const lines_unscrolled = 80; // more of them scroll in a box of their own
const pair_names = ['1st', '2nd'];
const unseen = (text) => h('span', { class: 'unseen' }, text);

export function step_words(row) {
  return [spaced(row.kind), row.object, row.value && `(${row.value})`].filter(Boolean).join(' ');
}

export class Timeline {
  // options: {label, pair, oracle, parts: the row at which two runs part, on_select(timeline), beside: the trace of the run that this
  // one is compared with: tasks that do nothing there have no lane, and there is no cursor until it is asked for}
  constructor(trace, options) {
    this.trace = trace;
    this.options = { pair: [], parts: null, ...options };
    this.data = false;
    this.opened = new Set();
    this.cursor = 0;
    this.lane_heads = h('div', { class: 'lane-heads', 'aria-hidden': 'true' });
    this.list = h('div', {
      class: 'lines',
      role: 'listbox',
      tabindex: 0,
      'aria-label': this.options.label,
      keydown: (event) => this.key(event),
      focus: () => {
        this.quiet = false;
        this.show_cursor();
      },
    });
    this.scroller = h('div', { class: 'timeline-scroll' }, this.list);
    this.element = h('div', { class: 'timeline' }, this.lane_heads, this.scroller);
    this.events = new Map();
    for (const event of trace.ledger) {
      if (trace.subject !== '' && event.subject === trace.subject)
        this.events.set(event.step, [...(this.events.get(event.step) ?? []), event]);
    }
    this.width = 480;
    this.lines = [];
    this.quiet = Boolean(this.options.beside);
    this.rebuild();
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  fit(width = this.element.clientWidth) {
    if (width === 0 || width === this.width) return;
    this.width = width;
    this.draw();
  }

  rebuild() {
    const at = this.lines[this.cursor];
    this.lines = lines_of(this.trace, { data: this.data, opened: this.opened, pair: this.options.pair });
    if (this.options.beside) {
      const known = new Set(this.options.beside.rows.map((row) => row.task));
      this.lines = this.lines.filter((line) => line.type !== 'step' || known.has(this.trace.rows[line.row].task));
    }
    const again = this.lines.findIndex((line) => at && line.row === at.row && line.type === at.type && line.step === at.step);
    this.cursor = Math.max(0, again);
    this.draw();
  }

  draw() {
    const tasks = active_tasks(this.trace, this.lines);
    this.lanes = lanes_of(tasks, this.width);
    this.element.classList.toggle('narrow', !this.lanes.wide);
    this.element.classList.toggle('tight', this.lanes.wide && this.lanes.step < 250);
    this.scroller.classList.toggle('long', this.lines.length > lines_unscrolled);
    const heads = this.lanes.wide || this.lanes.step >= lane_head_min ? tasks : [];
    this.lane_heads.replaceChildren(
      ...heads.map((task) =>
        h(
          'span',
          {
            class: 'lane-head',
            style: { left: `${this.lanes.x.get(task) - (this.lanes.wide ? 8 : 0)}px`, 'max-width': `${this.lanes.step - 6}px` },
            title: this.trace.tasks[task],
          },
          this.trace.tasks[task],
        ),
      ),
    );
    this.picture = picture(this.trace, this.lines, this.lanes, this.width);
    this.options_elements = this.lines.map((line, index) => this.line(line, index));
    this.list.style.setProperty('height', `${this.lines.length * line_height}px`);
    this.list.replaceChildren(this.picture, ...this.options_elements);
    this.show_cursor();
  }

  text_left(task) {
    return this.lanes.wide ? this.lanes.x.get(task) + 14 : this.lanes.right + 10;
  }

  words_box(task, ...children) {
    const left = this.text_left(task);
    const width = Math.min(this.lanes.wide ? this.lanes.step - 30 : Infinity, this.width - left - 2);
    return h('span', { class: 'words', style: { left: `${left}px`, width: `${Math.max(width, 40)}px` } }, ...children);
  }

  line(line, index) {
    const make = {
      step: () => this.step_line(line),
      fold: () => this.fold_line(line),
      call: () => this.call_line(line),
      return: () => this.call_line(line),
    };
    const { classes, content } = make[line.type]();
    return h(
      'div',
      {
        class: ['line', ...classes].join(' '),
        role: 'option',
        id: new_id('line'),
        'aria-selected': 'false',
        style: { top: `${index * line_height}px` },
        click: () => {
          this.move(index);
          if (line.type === 'fold') this.open(line);
        },
      },
      ...content,
    );
  }

  step_line(line) {
    const row = this.trace.rows[line.row];
    const failed = line.row === this.trace.failed;
    const rank = this.options.pair.indexOf(line.row);
    const events = row.operation !== 0 ? (this.events.get(row.step) ?? []) : [];
    const name = this.trace.tasks[row.task];
    const classes = [
      row.operation === 0 ? 'data' : 'step',
      row.decisive && 'decisive',
      row.preempts && 'preempts',
      failed && 'failed',
      rank >= 0 && 'decides',
      this.options.parts === line.row && 'parts',
    ].filter(Boolean);
    const content = [
      unseen('Step '),
      h('span', { class: 'number' }, row.operation === 0 ? '' : String(row.step)),
      unseen(`, ${name}`),
      rank >= 0 && [h('span', { class: 'badge rank' }, pair_names[rank]), unseen(' of the two steps that decide')],
      row.preempts && [
        unseen(', preempts'),
        rank < 0 &&
          h(
            'span',
            { class: 'badge preempt', 'aria-hidden': 'true', title: 'preempts: the task before could have gone on' },
            '!',
          ),
      ],
      unseen(': '),
      this.words_box(
        row.task,
        !this.lanes.wide && h('span', { class: 'who', 'aria-hidden': 'true' }, name),
        h('span', { class: 'kind' }, short_kind(row.kind)),
        ' ',
        h('span', { class: 'object' }, short_object(row.object)),
        failed && [
          ' ',
          h(
            'span',
            { class: 'oracle' },
            h('span', { 'aria-hidden': 'true' }, '✕ '),
            spaced(this.options.oracle ?? ''),
            unseen(' failed here'),
          ),
        ],
        row.value && h('span', { class: 'value' }, ` ${row.value}`),
        row.stale && unseen(', a stale value'),
        events.map((event) => [' ', h('span', { class: 'event' }, event.event)]),
        row.site && [' ', h('span', { class: 'site' }, short_site(row.site))],
      ),
      this.options.parts === line.row && [' ', h('span', { class: 'parting' }, 'here the runs part')],
    ];
    return { classes, content };
  }

  call_line(line) {
    const name = this.trace.tasks[line.task];
    const call = line.type === 'call';
    return {
      classes: [line.type],
      content: [
        unseen(`${name} ${call ? 'calls' : 'returns'} `),
        this.words_box(
          line.task,
          !this.lanes.wide && h('span', { class: 'who', 'aria-hidden': 'true' }, name),
          h('span', { class: 'sign', 'aria-hidden': 'true' }, call ? '▸ ' : '◂ '),
          line.text || (call ? '' : 'returned'),
        ),
      ],
    };
  }

  fold_line(line) {
    return {
      classes: ['fold'],
      content: [
        h(
          'span',
          { class: 'words', style: { left: `${this.lanes.wide ? this.lanes.gutter : this.lanes.right + 10}px` } },
          h('span', { 'aria-hidden': 'true' }, '⋯ '),
          `${counted(line.steps, 'step')} folded${line.openable ? '' : ', in the JSON report'}`,
          line.openable && unseen(', Enter shows them'),
        ),
      ],
    };
  }

  open(line) {
    if (!line.openable) return;
    this.opened.add(line.row);
    const row = line.row;
    this.rebuild();
    this.move(
      Math.max(
        0,
        this.lines.findIndex((each) => each.row === row),
      ),
    );
  }

  show_data(shown) {
    this.data = shown;
    this.rebuild();
  }

  row_at_cursor() {
    const line = this.lines[this.cursor];
    return line?.type === 'step' ? line.row : null;
  }

  // The step up to which things have happened at the cursor.
  step_at_cursor() {
    for (let at = this.cursor; at >= 0; at -= 1) {
      const line = this.lines[at];
      if (line.type === 'step') return this.trace.rows[line.row].step;
      if (line.step !== undefined) return line.step;
    }
    return 0;
  }

  move(index) {
    this.cursor = Math.min(Math.max(index, 0), this.lines.length - 1);
    this.show_cursor();
    this.options.on_select?.(this);
  }

  // Of a row that is folded, the fold.
  select_row(row) {
    const at = this.lines.findLastIndex((line) => line.row !== undefined && line.row <= row);
    if (at >= 0) this.move(at);
  }

  // Of another run: where this one did the same.
  point_at(row) {
    this.options_elements.forEach((element, index) => {
      const line = this.lines[index];
      element.classList.toggle('same', row !== null && line.type === 'step' && line.row === row);
    });
  }

  show_cursor() {
    this.options_elements.forEach((element, index) => {
      const current = index === this.cursor && !this.quiet;
      element.classList.toggle('current', current);
      element.classList.toggle('future', index > this.cursor && !this.quiet);
      element.setAttribute('aria-selected', String(current));
    });
    const current = this.options_elements[this.cursor];
    if (!current) return;
    this.list.setAttribute('aria-activedescendant', current.id);
    select_in_picture(this.picture, this.row_at_cursor());
    if (document.activeElement === this.list) current.scrollIntoView({ block: 'nearest' });
    else if (this.scroller.classList.contains('long'))
      this.scroller.scrollTop = (this.cursor + 0.5) * line_height - this.scroller.clientHeight / 2;
  }

  next_telling(direction) {
    for (let at = this.cursor + direction; at >= 0 && at < this.lines.length; at += direction) {
      const line = this.lines[at];
      const row = line.type === 'step' ? this.trace.rows[line.row] : null;
      if (row && (row.preempts || line.row === this.trace.failed || this.options.pair.includes(line.row))) {
        this.move(at);
        return;
      }
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      ArrowDown: () => this.move(this.cursor + 1),
      j: () => this.move(this.cursor + 1),
      ArrowUp: () => this.move(this.cursor - 1),
      k: () => this.move(this.cursor - 1),
      PageDown: () => this.move(this.cursor + 10),
      PageUp: () => this.move(this.cursor - 10),
      Home: () => this.move(0),
      End: () => this.move(this.lines.length - 1),
      n: () => this.next_telling(1),
      p: () => this.next_telling(-1),
      x: () => this.select_row(this.trace.failed),
      Enter: () => {
        if (this.lines[this.cursor]?.type === 'fold') this.open(this.lines[this.cursor]);
      },
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  time_at_cursor() {
    const row = this.row_at_cursor();
    return row !== null && this.trace.rows[row].time_ns !== 0 ? virtual_time(this.trace.rows[row].time_ns) : '';
  }
}

// The life of an object beside the time line: what has happened to it up to the cursor.
import { h } from './dom.js';
import { count, counted } from './words.js';

const events_max = 200; // of more, those around the cursor have a row

export class Ledger {
  constructor(trace, on_step) {
    this.trace = trace;
    this.on_step = on_step;
    this.subjects = [...new Set(trace.ledger.map((event) => event.subject))];
    this.subject = this.subjects.includes(trace.subject) ? trace.subject : this.subjects[0];
    this.now = h('p', { class: 'ledger-now' });
    this.rows = h('tbody');
    this.step = 0;
    this.element = h(
      'section',
      { class: 'ledger', 'aria-label': 'Ledger' },
      this.head(),
      this.now,
      h(
        'div',
        { class: 'ledger-scroll', tabindex: 0, role: 'region', 'aria-label': 'Events' },
        h(
          'table',
          null,
          h(
            'thead',
            null,
            h(
              'tr',
              null,
              ['step', 'task', 'event'].map((name) => h('th', { scope: 'col' }, name)),
            ),
          ),
          this.rows,
        ),
      ),
      trace.events > trace.ledger.length &&
        h('p', { class: 'note' }, `${count(trace.events - trace.ledger.length)} more events stand in the JSON report.`),
    );
    this.fill();
  }

  head() {
    if (this.subjects.length < 2) return h('h4', null, 'Ledger of ', h('span', { class: 'subject' }, this.subject));
    const choice = h(
      'select',
      {
        'aria-label': 'Object',
        change: (event) => {
          this.subject = event.target.value;
          this.fill();
        },
      },
      this.subjects.map((name) => h('option', { value: name, selected: name === this.subject }, name)),
    );
    return h('h4', null, 'Ledger of ', choice);
  }

  fill() {
    this.shown = this.trace.ledger.filter((event) => event.subject === this.subject);
    this.begin = -1;
    this.follow(this.step);
  }

  row(event) {
    return h(
      'tr',
      { click: () => this.on_step(event.step) },
      h('td', { class: 'number' }, String(event.step)),
      h('td', null, this.trace.tasks[event.task]),
      h('td', null, h('span', { class: 'event' }, event.event), h('span', { class: 'detail' }, event.detail)),
    );
  }

  // Rows for the events around number `at`, unless it is well within those that have one.
  show_around(at) {
    const margin = events_max / 8;
    const end = this.begin + events_max;
    if (this.begin >= 0 && (at >= this.begin + margin || this.begin === 0) && (at < end - margin || end >= this.shown.length))
      return;
    this.begin = Math.max(0, Math.min(at - events_max / 2, this.shown.length - events_max));
    this.elements = this.shown.slice(this.begin, this.begin + events_max).map((event) => this.row(event));
    this.rows.replaceChildren(...this.elements);
  }

  follow(step) {
    this.step = step;
    const past = this.shown.filter((event) => event.step <= step).length;
    const last = this.shown[past - 1];
    this.show_around(past - 1);
    this.elements.forEach((element, index) => {
      element.classList.toggle('future', this.begin + index >= past);
      element.classList.toggle('now', this.shown[this.begin + index].step === step);
    });
    this.now.textContent = last
      ? `After step ${step}: ${last.event} by ${this.trace.tasks[last.task]} was the last of ${counted(past, 'event')}.`
      : `After step ${step}: nothing has happened to it yet.`;
    const current = this.elements.findLast?.((element) => element.classList.contains('now'));
    const box = current?.closest('.ledger-scroll');
    if (box) box.scrollTop = Math.max(0, current.offsetTop - box.clientHeight / 2);
  }
}

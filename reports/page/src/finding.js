// One finding: what failed, the time line of its smallest schedule, the ledger and the nearest passing schedule beside it.
import { h, new_id, svg } from './dom.js';
import { deciding_pair, pair_at_sites, parting, same_operations } from './comparison.js';
import { Ledger } from './ledger.js';
import { draw_shape, legend } from './marks.js';
import { copyable, fact_list, folded_text } from './parts.js';
import { step_words, Timeline } from './timeline.js';
import { capital, count, counted, short_site, spaced } from './words.js';

function key_legend() {
  const shape = ([name, text]) =>
    h('li', null, svg('svg', { width: 14, height: 14, 'aria-hidden': 'true' }, draw_shape(name, 7, 7)), text);
  const line = (kind, text) =>
    h(
      'li',
      null,
      svg(
        'svg',
        { width: 30, height: 14, 'aria-hidden': 'true' },
        svg('path', { class: `arrow ${kind} touched`, d: 'M2,7H24' }),
        svg('path', { class: `arrow-tip ${kind}`, d: 'M23,3.5L29,7L23,10.5z' }),
      ),
      text,
    );
  return h(
    'ul',
    { class: 'legend', 'aria-label': 'Signs' },
    legend.map(shape),
    line('hand-over', 'lock handed over'),
    line('reads-from', 'read from a write'),
    h(
      'li',
      null,
      svg(
        'svg',
        { width: 14, height: 14, 'aria-hidden': 'true' },
        svg('rect', { class: 'hold lock-0', x: 5, y: 1, width: 4, height: 12, rx: 2 }),
      ),
      'lock held',
    ),
    h('li', null, h('span', { class: 'badge preempt', 'aria-hidden': 'true' }, '!'), 'preempts'),
  );
}

const help = () =>
  h(
    'p',
    { class: 'keys' },
    [
      ['↓ ↑', 'step'],
      ['n p', 'next, previous that decides'],
      ['x', 'where it failed'],
      ['Home End', 'first, last'],
    ].map(([keys, text]) => [keys.split(' ').map((key) => h('kbd', null, key)), ` ${text}  `]),
  );

// The step at the cursor in full.
class Details {
  constructor() {
    this.element = h('div', { class: 'details' });
  }

  show(timeline) {
    const row = timeline.trace.rows[timeline.row_at_cursor() ?? -1];
    const line = timeline.lines[timeline.cursor];
    if (!row) {
      this.element.replaceChildren(
        h('p', { class: 'what' }, line?.type === 'call' ? 'Call: ' : line?.type === 'return' ? 'Return: ' : '', line?.text ?? ''),
      );
      return;
    }
    const time = timeline.time_at_cursor();
    this.element.replaceChildren(
      h('p', { class: 'what' }, h('b', null, `Step ${row.step}`), ` · ${timeline.trace.tasks[row.task]} · `, step_words(row)),
      h(
        'p',
        { class: 'where' },
        [row.site, row.operation && `operation ${row.operation} of the task`, time && `at ${time}`].filter(Boolean).join(' · '),
      ),
    );
  }
}

function pair_sentence(trace, pair, { decides, races }) {
  const [first, second] = pair.map((index) => trace.rows[index]);
  const said = (row) => [h('b', null, `step ${row.step}`), ` (${trace.tasks[row.task]}: ${step_words(row)})`];
  const badge = (text) => [h('span', { class: 'badge rank', 'aria-hidden': 'true' }, text), ' '];
  const [opening, between, end] = decides
    ? ['What decides: ', ' comes before ', '; where it passes, after.']
    : races
      ? ['What races: ', ' and ', '; nothing orders one before the other.']
      : ['What collides: ', ' and ', '.'];
  return h('p', { class: 'decides-text' }, opening, badge('1st'), said(first), between, badge('2nd'), said(second), end);
}

// failing: {oracle, trace, passing?}, decoded.
function run_view(failing, label) {
  const { trace, passing } = failing;
  const deciding = passing && deciding_pair(trace, passing.trace);
  const pair = deciding ?? pair_at_sites(trace, failing.sites);
  const parts = passing ? parting(trace, passing.trace) : null;
  const same = passing ? same_operations(trace, passing.trace) : new Map();
  const back = new Map([...same].map(([here, there]) => [there, here]));
  const details = new Details();
  const other =
    passing &&
    new Timeline(passing.trace, {
      label: 'Steps of the nearest passing schedule',
      pair: deciding?.map((row) => same.get(row)).reverse() ?? [],
      parts: parts?.[1],
      beside: trace,
      on_select: (there) => main.point_at(back.get(there.row_at_cursor()) ?? null),
    });
  const ledger =
    trace.ledger.length !== 0 &&
    new Ledger(trace, (step) => main.select_row(trace.rows.findIndex((row) => row.step === step && row.operation !== 0)));
  const main = new Timeline(trace, {
    label,
    pair: pair ?? [],
    oracle: failing.oracle,
    parts: parts?.[0],
    on_select: (here) => {
      details.show(here);
      if (ledger) ledger.follow(here.step_at_cursor());
      if (other) other.point_at(same.get(here.row_at_cursor()) ?? null);
    },
  });
  const has_data = trace.rows.some((row) => row.operation === 0 && row.folded === undefined);
  const data_switch =
    has_data &&
    h(
      'label',
      { class: 'switch-label' },
      h('input', {
        type: 'checkbox',
        change: (event) => {
          main.show_data(event.target.checked);
          other?.show_data(event.target.checked);
        },
      }),
      'plain data accesses',
    );
  const element = h(
    'div',
    { class: 'run' },
    pair && pair_sentence(trace, pair, { decides: pair === deciding, races: failing.oracle === 'data_race' }),
    h('div', { class: 'tools' }, help(), data_switch),
    h(
      'div',
      { class: `panes${passing ? ' compared' : ''}${ledger ? ' with-ledger' : ''}` },
      h(
        'section',
        { class: 'pane', 'aria-label': 'The failing run' },
        passing && h('h4', null, h('span', { class: 'tone-bad' }, '✕ '), 'This schedule fails'),
        main.element,
      ),
      passing &&
        h(
          'section',
          { class: 'pane', 'aria-label': 'The nearest passing run' },
          h('h4', null, h('span', { class: 'tone-good' }, '✓ '), 'The nearest one that passes'),
          other.element,
        ),
      h('aside', { class: 'beside', 'aria-label': 'At the cursor' }, details.element, ledger && ledger.element),
    ),
    key_legend(),
  );
  main.select_row(Math.max(trace.failed, 0));
  return { element, timelines: [main, other].filter(Boolean) };
}

function without_trace() {
  return h(
    'p',
    { class: 'note' },
    'The steps of this finding are not in the page, which holds so many at most. They stand in the JSON report; replaying it shows them.',
  );
}

function facts_about(finding) {
  return fact_list([
    ['failed in', `run ${count(finding.run)}, step ${count(finding.step)}`],
    ['occurrences', count(finding.occurrences)],
    ['places', finding.sites.length === 0 ? null : finding.sites.map((site) => h('code', { title: site }, short_site(site)))],
  ]);
}

function versions_of(finding, facts) {
  const decoded = (part) => ({
    ...part,
    trace: facts.trace(part.trace),
    passing: part.passing?.trace ? { ...part.passing, trace: facts.trace(part.passing.trace) } : null,
  });
  const found = { name: 'As found', part: finding, make: () => decoded(finding) };
  if (!finding.shrunk) return [found];
  return [{ name: 'Smallest', part: finding.shrunk, make: () => decoded(finding.shrunk) }, found];
}

// Choosing between the smallest form of a finding and the one that was found.
function version_tabs(versions, show) {
  const tabs = versions.map((version, index) =>
    h(
      'button',
      {
        role: 'tab',
        type: 'button',
        'aria-selected': String(index === 0),
        tabindex: index === 0 ? 0 : -1,
        click: () => choose(index),
        keydown: (event) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (step) choose((index + step + tabs.length) % tabs.length);
        },
      },
      version.name,
      version.part.trace && h('small', null, counted(version.part.trace.steps, 'entry')),
    ),
  );
  function choose(index) {
    tabs.forEach((tab, at) => {
      tab.setAttribute('aria-selected', String(at === index));
      tab.tabIndex = at === index ? 0 : -1;
    });
    tabs[index].focus();
    show(versions[index]);
  }
  return h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Which form of the finding' }, tabs);
}

export function finding_view(finding, facts, { number, of }) {
  const title = new_id('finding');
  const place = h('div', { role: finding.shrunk ? 'tabpanel' : undefined, 'aria-label': finding.shrunk ? 'The run' : undefined });
  const view = { timelines: [] };
  const versions = versions_of(finding, facts);
  const show = (version) => {
    const { part } = version;
    const run = part.trace
      ? run_view(version.make(), `Steps of the failing run: ${spaced(finding.oracle)}`)
      : { element: without_trace(), timelines: [] };
    view.timelines = run.timelines;
    place.replaceChildren(
      ...[
        part !== finding && part.message !== finding.message && h('p', { class: 'message-small' }, part.message),
        run.element,
        part.claim && h('p', { class: 'claim-small' }, part.claim),
        h(
          'div',
          { class: 'commands' },
          copyable('Repeat it', part.replay),
          copyable('Schedule', part.schedule),
          part.passing && copyable('Passing schedule', part.passing.schedule),
        ),
        part.text && folded_text('The scenario that is left', part.text),
      ].filter(Boolean),
    );
  };
  const element = h(
    'article',
    { class: 'finding', 'aria-labelledby': title },
    h(
      'header',
      null,
      h('p', { class: 'over' }, of > 1 ? `Finding ${number} of ${of}` : 'Finding', finding.subject && ` · ${finding.subject}`),
      h(
        'h2',
        { id: title, tabindex: -1 },
        h('span', { class: 'tone-bad', 'aria-hidden': 'true' }, '✕ '),
        capital(spaced(finding.oracle)),
      ),
      h('p', { class: 'message' }, finding.message),
      facts.oracles[finding.oracle] && h('p', { class: 'note' }, `What the oracle looks for: ${facts.oracles[finding.oracle]}.`),
      facts_about(finding),
    ),
    versions.length > 1 && version_tabs(versions, show),
    place,
  );
  show(versions[0]);
  return { element, view };
}

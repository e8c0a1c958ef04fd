// Several reports: how they came out, what was found grouped by signature, and a table of all.
import { h } from './dom.js';
import { verdict_badge } from './parts.js';
import { count, counted, short_site, spaced, verdict_order } from './words.js';

const rows_at_once = 300;
const listed_at_once = 40;

function head(tally) {
  const failed = tally.reports - tally.met;
  return h(
    'header',
    { class: 'report-head' },
    h('p', { class: 'over' }, counted(tally.reports, 'scenario')),
    h(
      'h1',
      { tabindex: -1 },
      failed === 0 ? `All ${count(tally.reports)} as expected` : `${count(failed)} of ${count(tally.reports)} not as expected`,
    ),
    h(
      'ul',
      { class: 'tally' },
      verdict_order
        .filter((verdict) => tally.verdicts[verdict])
        .map((verdict) =>
          h('li', null, h('span', { class: 'tile-value' }, count(tally.verdicts[verdict])), verdict_badge(verdict)),
        ),
    ),
  );
}

function group_view(group, facts) {
  const first = facts.findings[group.listed[0]];
  const link = (index) => {
    const finding = facts.findings[index];
    return h(
      'li',
      null,
      h('a', { href: `#report-${finding.report + 1}-finding-${finding.number}` }, facts.reports[finding.report].name),
      h('span', { class: 'note' }, ` ${finding.subject || finding.message}`),
    );
  };
  const list = h('ul', null, group.listed.slice(0, listed_at_once).map(link));
  const left = group.findings - Math.min(group.listed.length, listed_at_once);
  return h(
    'details',
    { class: 'group' },
    h(
      'summary',
      null,
      h('span', { class: 'group-oracle' }, spaced(group.oracle)),
      h('span', { class: 'group-sites' }, first ? first.sites.map((site) => h('code', { title: site }, short_site(site))) : null),
      h('span', { class: 'group-count' }, `${counted(group.findings, 'finding')}, ${counted(group.occurrences, 'occurrence')}`),
    ),
    first && h('p', { class: 'message' }, first.message),
    list,
    left > 0 && h('p', { class: 'note' }, `and ${count(left)} more, which the JSON report has`),
  );
}

function groups_view(facts) {
  if (facts.groups.length === 0) return null;
  const groups = facts.groups.slice(0, rows_at_once);
  const left = facts.tally.signatures - groups.length;
  return h(
    'section',
    { 'aria-labelledby': 'groups-title' },
    h('h2', { id: 'groups-title' }, 'Findings by signature'),
    h('p', { class: 'note' }, 'One signature: the same oracle, kind of object and places in the source.'),
    h(
      'div',
      { class: 'groups' },
      groups.map((group) => group_view(group, facts)),
    ),
    left > 0 && h('p', { class: 'note' }, `${counted(left, 'more signature')} in the JSON report.`),
  );
}

class ReportTable {
  constructor(facts) {
    this.facts = facts;
    this.words = '';
    this.only_unmet = false;
    this.shown = rows_at_once;
    this.body = h('tbody');
    this.told = h('p', { class: 'note', role: 'status' });
    this.more = h(
      'button',
      {
        type: 'button',
        class: 'plain',
        click: () => {
          this.shown += rows_at_once;
          this.fill();
        },
      },
      'Show more',
    );
    const search = h('input', {
      type: 'search',
      placeholder: 'Filter by name, verdict or oracle',
      'aria-label': 'Filter scenarios',
      input: (event) => {
        this.words = event.target.value.toLowerCase();
        this.shown = rows_at_once;
        this.fill();
      },
    });
    const unmet = h(
      'label',
      { class: 'switch-label' },
      h('input', {
        type: 'checkbox',
        change: (event) => {
          this.only_unmet = event.target.checked;
          this.fill();
        },
      }),
      'only those not as expected',
    );
    this.element = h(
      'section',
      { class: 'all-reports', 'aria-labelledby': 'all-title' },
      h('h2', { id: 'all-title' }, 'Scenarios'),
      h('div', { class: 'tools' }, search, unmet, this.told),
      h(
        'div',
        { class: 'table-scroll' },
        h(
          'table',
          { class: 'reports' },
          h(
            'thead',
            null,
            h(
              'tr',
              null,
              ['scenario', 'verdict', 'found', 'as expected'].map((name) => h('th', { scope: 'col' }, name)),
            ),
          ),
          this.body,
        ),
      ),
      this.more,
    );
    this.fill();
  }

  oracles(report) {
    return [...new Set(report.findings.map((index) => spaced(this.facts.findings[index].oracle)))].join(', ');
  }

  fill() {
    const fits = this.facts.reports
      .map((report, index) => ({ report, index }))
      .filter(
        ({ report }) =>
          (!this.only_unmet || !report.met) &&
          (this.words === '' ||
            `${report.path} ${report.name} ${spaced(report.verdict)} ${this.oracles(report)}`.toLowerCase().includes(this.words)),
      );
    this.body.replaceChildren(
      ...fits
        .slice(0, this.shown)
        .map(({ report, index }) =>
          h(
            'tr',
            { class: report.met ? null : 'unmet' },
            h('td', null, h('a', { href: `#report-${index + 1}` }, report.name), h('span', { class: 'path' }, report.path)),
            h('td', null, verdict_badge(report.verdict)),
            h('td', null, this.oracles(report)),
            h('td', null, report.met ? h('span', { class: 'tone-good' }, '✓ yes') : h('span', { class: 'tone-bad' }, '✕ no')),
          ),
        ),
    );
    const left_out = this.facts.tally.reports - this.facts.reports.length;
    this.told.textContent = `${count(fits.length)} shown${left_out > 0 ? `; ${count(left_out)} more stand in the JSON report` : ''}`;
    this.more.hidden = fits.length <= this.shown;
  }
}

function unmet_view(facts) {
  const unmet = facts.reports.map((report, index) => ({ report, index })).filter(({ report }) => !report.met);
  if (unmet.length === 0) return null;
  return h(
    'section',
    { 'aria-labelledby': 'unmet-title' },
    h('h2', { id: 'unmet-title' }, 'Not as expected'),
    h(
      'ul',
      { class: 'unmet-list' },
      unmet
        .slice(0, listed_at_once)
        .map(({ report, index }) =>
          h(
            'li',
            null,
            verdict_badge(report.verdict),
            h('a', { href: `#report-${index + 1}` }, report.name),
            h('span', { class: 'note' }, report.outcome),
          ),
        ),
    ),
    unmet.length > listed_at_once &&
      h('p', { class: 'note' }, `and ${count(unmet.length - listed_at_once)} more, in the table below`),
  );
}

export function overview(facts) {
  return h(
    'div',
    { class: 'overview' },
    head(facts.tally),
    unmet_view(facts),
    groups_view(facts),
    new ReportTable(facts).element,
  );
}

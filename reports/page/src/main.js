// The page: reads its facts, and shows the view that the address names.
import { h } from './dom.js';
import { facts_of } from './facts.js';
import { overview } from './overview.js';
import { report_view } from './report.js';
import { sweep_view } from './sweep.js';

const print_width = 330;

function theme_switch() {
  const next = { auto: 'light', light: 'dark', dark: 'auto' };
  let theme = 'auto';
  const button = h('button', {
    type: 'button',
    class: 'plain theme',
    click: () => {
      theme = next[theme];
      show();
    },
  });
  function show() {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = { auto: '◐ auto', light: '○ light', dark: '● dark' }[theme];
    button.setAttribute('aria-label', `Colours: ${theme}. Change`);
  }
  show();
  return button;
}

// Several reports, and each of them: which one, the address says.
function reports_page(facts, main, crumbs) {
  const several = facts.tally.reports !== 1;
  let current = { timelines: () => [] };

  function route(moved) {
    const [, report_number, finding_number] = /^#report-(\d+)(?:-finding-(\d+))?$/.exec(location.hash) ?? [];
    const index = several ? Number(report_number ?? 0) - 1 : 0;
    const report = facts.reports[index];
    if (!report) {
      current = { timelines: () => [] };
      crumbs.replaceChildren();
      main.replaceChildren(overview(facts));
    } else {
      current = report_view(report, facts, Number(finding_number ?? 1));
      const neighbour = (at, text) => facts.reports[at] && h('a', { href: `#report-${at + 1}` }, text);
      crumbs.replaceChildren(
        ...(several
          ? [h('a', { href: '#' }, '← All scenarios'), neighbour(index - 1, 'previous'), neighbour(index + 1, 'next')].filter(
              Boolean,
            )
          : []),
      );
      main.replaceChildren(current.element);
    }
    document.title = report ? `${report.verdict}: ${report.name}` : 'kvrace report';
    if (!moved) return;
    const target = finding_number ? main.querySelector(`[data-finding="${finding_number}"] h2`) : main.querySelector('h1');
    target?.focus();
    if (!finding_number) scrollTo(0, 0);
  }

  route(false);
  addEventListener('hashchange', () => route(true));
  // Paper has its own width; what is folded there stays folded.
  addEventListener('beforeprint', () => current.timelines().forEach((timeline) => timeline.fit(print_width)));
  addEventListener('afterprint', () => current.timelines().forEach((timeline) => timeline.fit()));
}

function start() {
  const facts = JSON.parse(document.getElementById('facts').textContent);
  const main = h('main', { id: 'main' });
  const crumbs = h('nav', { class: 'crumbs', 'aria-label': 'Place' });
  document.body.replaceChildren(
    h(
      'a',
      {
        class: 'skip',
        href: '#main',
        click: (event) => {
          event.preventDefault();
          main.querySelector('h1')?.focus();
        },
      },
      'Skip to the verdict',
    ),
    h('div', { class: 'top' }, h('a', { class: 'brand', href: '#' }, 'kvrace'), crumbs, theme_switch()),
    main,
  );
  if (facts.sweep) {
    document.title = `Sweep: ${facts.sweep.scenario.name}`;
    main.replaceChildren(sweep_view(facts.sweep));
  } else {
    reports_page(facts_of(facts), main, crumbs);
  }
}

start();

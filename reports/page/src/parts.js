// Pieces that several views are made of.
import { h } from './dom.js';
import { verdicts, verdict_words } from './words.js';

export function verdict_badge(verdict, { large = false } = {}) {
  const known = verdicts[verdict] ?? { tone: 'quiet', sign: '·' };
  return h(
    'span',
    { class: `verdict tone-${known.tone}${large ? ' large' : ''}` },
    h('span', { 'aria-hidden': 'true' }, known.sign),
    ` ${verdict_words(verdict)}`,
  );
}

// [[name, value]], where value is text, an element or several; null is left out.
export function fact_list(facts) {
  return h(
    'dl',
    { class: 'facts' },
    facts
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
  );
}

export function copyable(name, text) {
  if (!text) return null;
  const button = h(
    'button',
    {
      type: 'button',
      class: 'copy',
      'aria-label': `Copy: ${name}`,
      click: async () => {
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = 'copied';
        } catch {
          getSelection().selectAllChildren(code);
          button.textContent = 'selected';
        }
      },
    },
    'copy',
  );
  const code = h('code', null, text);
  return h('div', { class: 'command' }, h('span', { class: 'name' }, name), code, button);
}

export function folded_text(title, lines) {
  return h('details', { class: 'text' }, h('summary', null, title), h('pre', { tabindex: 0 }, lines.join('\n')));
}

export function table(caption, heads, rows, { numeric = [] } = {}) {
  const of = (index) => (numeric.includes(index) ? 'number' : undefined);
  return h(
    'div',
    { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      null,
      h('caption', null, caption),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          heads.map((head, index) => h('th', { scope: 'col', class: of(index) }, head)),
        ),
      ),
      h(
        'tbody',
        null,
        rows.map((row) =>
          h(
            'tr',
            null,
            row.map((cell, index) => h('td', { class: of(index) }, cell)),
          ),
        ),
      ),
    ),
  );
}

// How values are said.

export const verdicts = {
  PROVED: { tone: 'good', sign: '✓' },
  EXHAUSTED: { tone: 'good', sign: '✓' },
  NOT_FOUND: { tone: 'quiet', sign: '○' },
  VIOLATION: { tone: 'bad', sign: '✕' },
  INCOMPLETE: { tone: 'warn', sign: '…' },
  UNSOUND: { tone: 'warn', sign: '!' },
};
export const verdict_order = ['UNSOUND', 'VIOLATION', 'INCOMPLETE', 'NOT_FOUND', 'EXHAUSTED', 'PROVED'];

export const spaced = (name) => name.replaceAll('_', ' ');
export const capital = (text) => text.replace(/^./u, (first) => first.toUpperCase());
export const verdict_words = (verdict) => capital(spaced(verdict).toLowerCase());

// A number as it came: exact ones of more than 53 bits are text already.
export function count(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}
export const counted = (value, noun) => `${count(value)} ${Number(value) === 1 ? noun : `${noun.replace(/y$/, 'ie')}s`}`;

export function percent(numerator, denominator) {
  if (Number(denominator) === 0) return '–';
  const share = (100 * Number(numerator)) / Number(denominator);
  return `${share === 0 || share >= 10 ? share.toFixed(share % 1 === 0 ? 0 : 1) : share.toPrecision(2)}\u202f%`;
}

export function seconds(value) {
  if (value === null) return '';
  if (value < 1e-3) return `${(value * 1e6).toFixed(0)} µs`;
  if (value < 1) return `${(value * 1e3).toPrecision(3)} ms`;
  return `${value.toPrecision(3)} s`;
}

export const virtual_time = (nanoseconds) => seconds(nanoseconds / 1e9);

// "mutex 'pool'" is "pool" where space is short; "mutex 0.1" stays.
export const short_object = (object) => /^\w+ '(.+)'$/s.exec(object)?.[1] ?? object;
export const short_kind = (kind) => ({ read_modify_write: 'rmw', compare_exchange: 'cas' })[kind] ?? spaced(kind);
export const short_site = (site) => site.slice(site.lastIndexOf('/') + 1);

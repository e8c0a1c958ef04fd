// The mark of an operation: its shape says what kind of operation it is, so that colour need not.
import { svg } from './dom.js';

const shape_of_kind = {
  lock: 'square-full',
  lock_shared: 'square-half',
  try_lock: 'square-half',
  try_lock_shared: 'square-half',
  reacquire: 'square-full',
  unlock: 'square',
  unlock_shared: 'square',
  acquire: 'square-full',
  try_acquire: 'square-half',
  release: 'square',
  store: 'disc-full',
  write: 'disc-full',
  load: 'disc',
  read: 'disc',
  read_modify_write: 'disc-half',
  compare_exchange: 'disc-half',
  fence: 'bar',
  wait: 'bar',
  sleep: 'bar',
  yield: 'bar',
  await: 'bar',
  join: 'bar',
  notify_one: 'peak',
  notify_all: 'peak',
  arrive: 'peak',
  start: 'peak',
  timeout: 'peak',
};

export const legend = [
  ['square-full', 'lock taken'],
  ['square', 'lock given back'],
  ['disc-full', 'write'],
  ['disc', 'read'],
  ['disc-half', 'read and write'],
  ['bar', 'wait'],
  ['peak', 'wake-up'],
  ['diamond', 'other'],
];

const r = 4.5;
const draw = {
  'square-full': (x, y) => svg('rect', { x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: 1, class: 'mark full' }),
  square: (x, y) => svg('rect', { x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: 1, class: 'mark' }),
  'square-half': (x, y) => [draw.square(x, y), svg('rect', { x: x - r, y: y - r, width: r, height: 2 * r, class: 'mark full' })],
  'disc-full': (x, y) => svg('circle', { cx: x, cy: y, r, class: 'mark full' }),
  disc: (x, y) => svg('circle', { cx: x, cy: y, r, class: 'mark' }),
  'disc-half': (x, y) => [draw.disc(x, y), svg('path', { d: `M${x},${y - r}a${r},${r} 0 0 0 0,${2 * r}z`, class: 'mark full' })],
  bar: (x, y) => svg('rect', { x: x - r, y: y - 1.5, width: 2 * r, height: 3, rx: 1.5, class: 'mark full' }),
  peak: (x, y) => svg('path', { d: `M${x - r},${y + r - 1}L${x},${y - r}L${x + r},${y + r - 1}z`, class: 'mark full' }),
  diamond: (x, y) => svg('path', { d: `M${x},${y - r}L${x + r},${y}L${x},${y + r}L${x - r},${y}z`, class: 'mark' }),
};

export const draw_shape = (shape, x, y) => draw[shape](x, y);
export const draw_mark = (kind, x, y) => draw_shape(shape_of_kind[kind] ?? 'diamond', x, y);

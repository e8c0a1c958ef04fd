// node picture.mjs KVRACE CHROMIUM OUT.svg: the finding of the incident as README.md shows it. Needs pdftocairo (poppler-utils).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as driver } from 'playwright-core';

const [, , kvrace, chromium, out] = process.argv;
const folder = mkdtempSync(join(tmpdir(), 'kvrace-picture-'));
const width = 1440;
try {
  const report = join(folder, 'ghost.html');
  execFileSync(kvrace, ['run', '01_ghost_entry_mutex', '--report', report], { stdio: 'ignore' });
  const browser = await driver.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
  const page = await browser.newPage({ viewport: { width, height: 900 }, bypassCSP: true });
  // Paper would get the layout of paper.
  await page.addInitScript(() => {
    const add = window.addEventListener;
    window.addEventListener = (type, ...rest) => (type === 'beforeprint' ? undefined : add.call(window, type, ...rest));
  });
  await page.goto(`file://${report}`);
  await page.emulateMedia({ media: 'screen' });
  await page.waitForSelector('.finding');
  // The first screen: verdict, claim, and the finding up to its signs. Shadows would become bitmaps.
  await page.addStyleTag({
    content: `
    .top, .evidence, .tools, .commands, .claim-small, details.text, .tabs, .message-small { display: none !important; }
    .words { text-shadow: none !important; }
    .finding { box-shadow: none !important; margin: 0 !important; }
    main { padding: 16px !important; }`,
  });
  const height = await page.evaluate(() => Math.ceil(document.querySelector('main').getBoundingClientRect().height) + 2);
  const paper = join(folder, 'page.pdf');
  await page.pdf({ path: paper, width: `${width}px`, height: `${height}px`, printBackground: true, pageRanges: '1' });
  await browser.close();
  execFileSync('pdftocairo', ['-svg', paper, out]);
  const drawn = readFileSync(out, 'utf8');
  const declaration = drawn.indexOf('?>') + 2;
  writeFileSync(
    out,
    drawn.slice(0, declaration) +
      drawn.slice(declaration).replace(/-?\d+\.\d{3,}/g, (number) => String(Number(Number(number).toFixed(2)))),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

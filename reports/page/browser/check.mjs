// node check.mjs KVRACE CHROMIUM: pages that the program writes, in a real browser. Exit code 77: there is none.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

const [, , kvrace, chromium] = process.argv;
function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}
if (!chromium || !existsSync(chromium)) skip('no Chromium (Debian: apt-get install chromium)');
const { chromium: driver } = await import('playwright-core').catch(() => skip('npm could not install playwright-core'));
const axe_source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'kvrace-page-'));
const complaints = [];
let browser;

// The program's exit code says how scenarios came out, which is not the question here.
function report(name, ...scenarios) {
  const file = join(folder, `${name}.html`);
  try {
    execFileSync(kvrace, ['run', ...scenarios, '--report', file], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    if (![1, 2].includes(error.status)) throw error;
  }
  return `file://${file}`;
}

async function opened(url, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, ...options });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector('main h1');
  return page;
}

const text_of = (page, selector) => page.locator(selector).first().innerText();

before(async () => {
  browser = await driver.launch({
    executablePath: chromium,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('verdict, claim and the planted race are on the page', async () => {
  const page = await opened(report('race', '05_recency_race_mutex'));
  assert.match(await text_of(page, '.verdict-line'), /Violation[\s\S]*found as expected/);
  assert.match(await text_of(page, '.claim'), /data_race/);
  assert.equal(await text_of(page, '.finding h2'), '✕ Data race');
  const failed = page.locator('.line.failed');
  assert.equal(await failed.count(), 1);
  assert.match(await failed.innerText(), /data race/);
  assert.equal(await failed.getAttribute('aria-selected'), 'true');
  assert.match(await text_of(page, '.decides-text'), /What races: .* and .*; nothing orders/);
  await page.close();
});

test('the keyboard alone steps through; the ledger and the passing run keep in step', async () => {
  const page = await opened(report('ghost', '01_ghost_entry_mutex'));
  const list = page.getByRole('listbox', { name: /failing run/ });
  for (let tabs = 0; tabs < 40 && !(await list.evaluate((element) => element === document.activeElement)); tabs += 1)
    await page.keyboard.press('Tab');
  assert.ok(await list.evaluate((element) => element === document.activeElement), 'Tab leads to the time line');
  const current = () =>
    list.evaluate((element) => document.getElementById(element.getAttribute('aria-activedescendant')).textContent);
  assert.match(await current(), /ghost entry failed here/);
  await page.keyboard.press('Home');
  assert.match(await text_of(page, '.ledger-now'), /nothing has happened/);
  const seen = new Set();
  for (let steps = 0; steps < 100; steps += 1) {
    seen.add(await current());
    await page.keyboard.press('ArrowDown');
  }
  assert.equal(seen.size, await list.getByRole('option').count());
  assert.match(await text_of(page, '.ledger-now'), /unpin/);
  await page.keyboard.press('p');
  assert.match(await current(), /decide|preempts|failed/);
  assert.equal(await page.locator('.line.same').count(), 1);
  await page.keyboard.press('Home');
  await page.keyboard.press('n');
  assert.match(await current(), /decide|preempts|failed/);
  await page.keyboard.press('x');
  assert.match(await current(), /failed here/);
  await page.close();
});

test('lock holds are bars, hand-overs are arrows, and what decides is said in words', async () => {
  const page = await opened(report('ghost', '01_ghost_entry_mutex'));
  assert.ok((await page.locator('.pane .hold').count()) > 4);
  assert.ok((await page.locator('.pane .arrow.hand-over').count()) >= 2);
  assert.match(await text_of(page, '.decides-text'), /What decides: 1st step \d+ .* comes before 2nd step \d+/);
  assert.equal(await page.locator('.pane').first().locator('.line.decides').count(), 2);
  await page.getByRole('tab', { name: /As found/ }).click();
  assert.equal(await page.getByRole('tab', { name: /As found/ }).getAttribute('aria-selected'), 'true');
  await page.close();
});

test('markup, quotes and invisible characters in names and prompts are shown and do nothing', async () => {
  const evil = '</script><img src=x onerror="document.title=1"><b>\u202e\u{1f600}\u2028\'"&amp;';
  const serve = (tokens) => ({ serve: { model: evil, tokens } });
  writeFileSync(
    join(folder, 'evil.json'),
    JSON.stringify({
      name: evil,
      question: evil,
      cache: { locking: 'mutex', capacity_blocks: 2, tokens_per_block: 2, flaws: ['metadata_second_section'] },
      tasks: [
        { name: 'a', operations: [serve('AAAA'), serve('CC')] },
        { name: 'b', operations: [serve('BB'), serve('AAAA')] },
      ],
      search: { strategy: 'random', runs: 1000, seed: 1 },
      expect: { violation: 'ghost_entry' },
    }),
  );
  const page = await opened(report('evil', 'evil.json'));
  assert.equal(await page.locator('img, b b, iframe, object').count(), 0);
  assert.ok((await text_of(page, 'h1')).startsWith('</script><img src=x onerror="document.title=1"><b>\\u{202E}\u{1f600}'));
  assert.match(await page.title(), /^VIOLATION/);
  await page.getByRole('tab', { name: /As found/ }).click();
  assert.match(await text_of(page, '.line.call'), /<\/script><img/);
  await page.close();
});

test('several reports: an overview, findings by signature, and a way there and back', async () => {
  const page = await opened(report('several', '1', '2', '5'));
  assert.match(await text_of(page, 'h1'), /All 3 as expected/);
  assert.equal(await page.locator('.group').count(), 2);
  await page.getByRole('searchbox').fill('proved');
  assert.equal(await page.locator('table.reports tbody tr').count(), 1);
  await page.getByRole('searchbox').fill('');
  await page.locator('table.reports a').first().click();
  await page.waitForSelector('.finding');
  assert.match(await page.title(), /^VIOLATION/);
  await page.goBack();
  await page.waitForSelector('.overview');
  await page.close();
});

// Every text against the colour behind it, by WCAG 2.1; roles, names and labels.
async function without_barriers(page) {
  await page.evaluate(axe_source);
  const found = await page.evaluate(() =>
    globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }),
  );
  assert.deepEqual(
    found.violations.map((violation) => `${violation.id}: ${violation.nodes[0].html.slice(0, 120)}`),
    [],
  );
}

for (const colorScheme of ['light', 'dark']) {
  test(`no barriers in ${colorScheme} colours`, async () => {
    for (const [name, ...scenarios] of [
      ['ghost', '01_ghost_entry_mutex'],
      ['traffic', '52'],
      ['several', '1', '2', '5'],
    ]) {
      const page = await opened(report(name, ...scenarios), { colorScheme });
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
      assert.equal(paper[0] < 128, colorScheme === 'dark');
      await without_barriers(page);
      await page.close();
    }
  });
}

test('a narrow screen and paper lose nothing at the sides', async () => {
  const page = await opened(report('ghost', '01_ghost_entry_mutex'), { viewport: { width: 360, height: 740 } });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(await page.locator('.top').isVisible(), false);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  assert.ok((await page.pdf({ format: 'A4' })).length > 20_000);
  await page.close();
});

test('nothing was asked of the network, and the console stayed empty', () => {
  assert.deepEqual(complaints, []);
});

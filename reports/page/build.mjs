// node build.mjs FOLDER: the page in two files, page_before and page_after, between which the facts go.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const out = process.argv[2];

async function bundle(entry) {
  const built = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome100', 'firefox104', 'safari15.4'],
    legalComments: 'none',
    charset: 'ascii',
    logLevel: 'warning',
  });
  return built.outputFiles[0].text.trim();
}

const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

const script = await bundle('src/main.js');
const style = await bundle('style/main.css');
if (/<\/(script|style)/i.test(script + style)) throw new Error('the bundle would end its own element');
const parts = { script, style, script_hash: hash(script), style_hash: hash(style) };
const page = readFileSync(join(here, 'page.html'), 'utf8').replace(
  /%(script|style|script_hash|style_hash)%/g,
  (_, name) => parts[name],
);
const [before, after] = page.split('%facts%');
writeFileSync(join(out, 'page_before'), before);
writeFileSync(join(out, 'page_after'), after);

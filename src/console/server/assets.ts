import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { ConsoleApp } from '../console-app.ts';
import { language } from '../html/html.ts';
import { translateScript } from '../html/translate-template.ts';
import type { Assets } from '../layout/layout.ts';

const FOLDER = fileURLToPath(new URL('../assets/', import.meta.url));

/** A year, the longest that caches keep a file; changed files get another address. */
const FOR_EVER_S = 31_536_000;

/**
 * Serves the files of pages under an address with a digest of all of them, so that browsers cache them for ever and never mix
 * versions. They are packed once, at the start; files added later are not served. Styles are joined: one piece for every page, one
 * for each place (layout.ts), since a page is painted only when it has all its styles.
 */
export function serveAssets(app: ConsoleApp): Assets {
  packed ??= packAssets();
  const { prefix, styles, files } = packed;
  for (const { file, type, text, gzipped } of files) {
    app.get(`${prefix}${file}`, async ({ headers }, reply) => {
      reply
        .header('cache-control', `public, max-age=${FOR_EVER_S}, immutable`)
        .header('vary', 'accept-encoding')
        .type(type);
      return TAKES_GZIP.test(headers['accept-encoding'] ?? '')
        ? reply.header('content-encoding', 'gzip').send(gzipped)
        : reply.send(text);
    });
  }
  return {
    styles: styles.map(({ file, place }) => ({ href: `${prefix}${file}`, place })),
    script: `${prefix}script/console.js`,
    icon: `${prefix}icon.svg`,
  };
}

/** Packed once in a process, however many consoles it opens. */
let packed: ReturnType<typeof packAssets> | undefined;

function packAssets() {
  const names = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(FOLDER.length).replace(/^\/+/, ''))
    .sort();
  const lookUp = language();
  const read = (name: string) => {
    const text = readFileSync(`${FOLDER}${name}`, 'utf8');
    return lookUp && name.endsWith('.js') ? translateScript(text, lookUp) : text;
  };
  const digest = createHash('sha256');
  for (const name of names) digest.update(`${name}\n`).update(read(name));
  const styles = joinStyles(
    names.filter((name) => name.startsWith('styles/')).map((name) => ({ name, text: read(name) })),
  );
  const others = names.filter((name) => !name.startsWith('styles/')).map((name) => ({ file: name, text: read(name) }));
  const files = [...styles, ...others].map(({ file, text }) => {
    const type = TYPES[extname(file)];
    if (type === undefined) throw new Error(`No type is known for ${file}: add it to TYPES.`);
    return { file, type, text, gzipped: gzipSync(text, { level: 9 }) };
  });
  return { prefix: `/assets/${digest.digest('hex').slice(0, DIGITS)}/`, styles, files };
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The pattern of a header that accepts gzip (RFC 9110, section 12.5.3). Only these files are sent packed: their size reveals no
 * secret (BREACH).
 */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:[\s,]|$))/i;

/** The number of hex digits of the digest in addresses of files: enough to tell versions apart. */
const DIGITS = 12;

/** Styles that were joined into one file: those of every page, or those of one place (pages/page.ts). */
type Joined = { file: string; place: string | undefined; text: string };

/**
 * Joins style files in the order of their names: files of a place (`page-<place>….css`) in one piece each, all others in the
 * first piece. Comments and indentation are removed.
 */
export function joinStyles(files: readonly { name: string; text: string }[]): Joined[] {
  const joined: Joined[] = [{ file: 'console.css', place: undefined, text: '' }];
  for (const { name, text } of files) {
    const place = /(?:^|\/)page-([a-z]+)[^/]*\.css$/.exec(name)?.[1];
    let piece = joined.find((one) => one.place === place);
    if (!piece) {
      piece = { file: `${place}.css`, place, text: '' };
      joined.push(piece);
    }
    piece.text += shorten(text);
  }
  return joined;
}

/** Finds quoted texts, which stay, and comments and white space around line ends, which are removed. */
const SPACE = /("[^"\n]*"|'[^'\n]*')|\/\*[\s\S]*?\*\/|\s*\n\s*/g;

function shorten(text: string): string {
  return text.replace(SPACE, (_all, quoted: string | undefined) => quoted ?? '\n').replace(/\n+/g, '\n');
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { ConsoleApp } from '../console-app.ts';
import type { Assets } from '../layout/layout.ts';

const FOLDER = fileURLToPath(new URL('../assets/', import.meta.url));

/** A year, the longest that caches keep a file; changed files get another address. */
const FOR_EVER_S = 31_536_000;

/**
 * Serves the files of pages under an address with a digest of all of them, so that browsers cache them for ever and never mix
 * versions. Files added after the start are not served. Styles are joined: one piece for every page, one for each place
 * (layout.ts), since a page is painted only when it has all its styles.
 */
export async function serveAssets(app: ConsoleApp): Promise<Assets> {
  const names = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(FOLDER.length).replace(/^\/+/, ''))
    .sort();
  const read = (name: string) => readFileSync(`${FOLDER}${name}`, 'utf8');
  const digest = createHash('sha256');
  for (const name of names) digest.update(`${name}\n`).update(read(name));
  const prefix = `/assets/${digest.digest('hex').slice(0, DIGITS)}/`;
  await app.register(fastifyStatic, {
    root: FOLDER,
    prefix,
    wildcard: false,
    globIgnore: ['styles/**'],
    index: false,
    decorateReply: false,
    maxAge: FOR_EVER_S * 1_000,
    immutable: true,
  });
  const styles = joinStyles(
    names.filter((name) => name.startsWith('styles/')).map((name) => ({ name, text: read(name) })),
  );
  for (const { file, text } of styles) {
    const packed = gzipSync(text);
    app.get(`${prefix}${file}`, async ({ headers }, reply) => {
      reply
        .header('cache-control', `public, max-age=${FOR_EVER_S}, immutable`)
        .header('vary', 'accept-encoding')
        .type('text/css; charset=utf-8');
      return TAKES_GZIP.test(headers['accept-encoding'] ?? '')
        ? reply.header('content-encoding', 'gzip').send(packed)
        : reply.send(text);
    });
  }
  return {
    styles: styles.map(({ file, place }) => ({ href: `${prefix}${file}`, place })),
    script: `${prefix}script/console.js`,
    icon: `${prefix}icon.svg`,
  };
}

/** Whether a browser accepts gzip (RFC 9110, section 12.5.3). Only styles are packed: their size reveals no secret (BREACH). */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:[\s,]|$))/i;

/** Hex digits of the digest, enough to tell versions apart. */
const DIGITS = 12;

/** Joined styles, for every page or for the pages of one place. */
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

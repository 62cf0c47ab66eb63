import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Database, Reply } from '../simulation/doubles/redis-server.ts';
import { KEYS } from '../simulation/run/process.ts';

const SNAPSHOT = readFileSync(new URL('../simulation/check/snapshot.lua', import.meta.url), 'utf8');

/** Keys whose content depends on the number of requests or is encrypted, and keys of the simulator itself. */
const LEFT_OUT = /:(pace|pace-samples|doors|marks|marks:all|token:.*|audit|audit:head)$|^simulated:/;

/** JSON of this length or more is printed on several lines. */
const LONGEST_LINE = 120;

/**
 * The content of Redis key by key, sorted, or that of an account alone. Keys of the account are shown without their common prefix.
 */
export async function dumpOf(database: Database, of: 'all' | 'account' = 'all'): Promise<string> {
  const [found] = await database.run([['EVAL', SNAPSHOT, 0]]);
  if (!Array.isArray(found)) throw found;
  const keys = (found as Reply[][]).map(([key, content, type]) => ({ key: String(key), content, type: String(type) }));
  return (
    keys
      .filter(({ key }) => !LEFT_OUT.test(key) && (of === 'all' || key.startsWith(KEYS.root)))
      .map(({ key, content = null, type }) => `${key.replace(KEYS.root, '')} (${type})\n${linesOf(type, content)}`)
      .join('\n')
      // The owner of a call: a process and the number of its attempt.
      .replace(/\b[\w-]{8}\/\d+(?![\w-])/g, '<attempt>')
  );
}

/** The same for an archive file of rows, or of the other keys of a portfolio. */
export function archiveText(path: string): string {
  const isOfRows = path.endsWith('rows.ndjson.gz');
  const lines = gunzipSync(readFileSync(path)).toString().trim().split('\n').sort();
  const keys = lines.map((line) => {
    const [key = '', type = '', ...content] = JSON.parse(line) as string[];
    return isOfRows ? { key, type: 'hash', content } : { key, type, content: content.slice(1) };
  });
  return keys.map(({ key, type, content }) => `${key} (${type})\n${linesOf(type, content)}`).join('\n');
}

function linesOf(type: string, content: Reply): string {
  const words = [content].flat().map(readable);
  const isPairs = type === 'hash' || type === 'zset';
  const lines = isPairs ? words.flatMap((word, at) => (at % 2 === 0 ? [pair(word, words[at + 1] ?? '')] : [])) : words;
  const ordered = type === 'zset' || type === 'list' ? lines : lines.sort();
  const shown = ordered.map((line) => `  ${line.replaceAll('\n', '\n  ')}\n`).join('');
  return shown.replace(/[^\P{Cc}\n]/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** The digest of an archive depends on the field order of Redis, and its size on the version that wrote it. */
const pair = (name: string, value: string): string =>
  `${name}: ${name === 'archive' ? value.replace(/"(sizeBytes|sha256)": ?("\w*"|\d+)/g, '"$1": <of its files>') : value}`;

/** Text unchanged, long JSON with line breaks, and other bytes as Latin-1. */
function readable(reply: Reply): string {
  if (!Buffer.isBuffer(reply)) return String(reply);
  const text = reply.toString();
  if (!Buffer.from(text).equals(reply)) return reply.toString('latin1');
  if (text.length < LONGEST_LINE || !/^[{[]/.test(text)) return text;
  return jsonText(JSON.parse(text));
}

/** JSON in which only what is longer than a line has a line for each of its parts. */
function jsonText(value: unknown): string {
  const line = JSON.stringify(value, null, 1).replace(/\n */g, ' ');
  if (line.length < LONGEST_LINE || typeof value !== 'object' || value === null) return line;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([name, part]) => `${isList ? '' : `"${name}": `}${jsonText(part)}`);
  const [begin, end] = isList ? '[]' : '{}';
  return `${begin}\n  ${parts.join(',\n').replaceAll('\n', '\n  ')}\n${end}`;
}

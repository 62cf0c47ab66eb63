import { readFileSync } from 'node:fs';
import type { Database, Reply } from '../simulation/doubles/redis-server.ts';
import { KEYS } from '../simulation/run/account.ts';

const SNAPSHOT = readFileSync(new URL('../simulation/check/snapshot.lua', import.meta.url), 'utf8');

/** Keys whose content depends on how often something was asked for, or is encrypted; and keys of the simulator itself. */
const LEFT_OUT = /:(pace|pace-samples|doors|marks|marks:all|token:.*|audit|audit:head)$|^simulated:/;

/** JSON of this length or more is spread over several lines. */
const LONGEST_LINE = 120;

/** All that Redis has, key by key, sorted. Keys of the account are shown without their common beginning. */
export async function dumpOf(database: Database): Promise<string> {
  const [found] = await database.run([['EVAL', SNAPSHOT, 0]]);
  if (!Array.isArray(found)) throw found;
  const keys = (found as Reply[][]).map(([key, content, type]) => ({ key: String(key), content, type: String(type) }));
  return (
    keys
      .filter(({ key }) => !LEFT_OUT.test(key))
      .map(({ key, content = null, type }) => `${key.replace(KEYS.root, '')} (${type})\n${linesOf(type, content)}`)
      .join('\n')
      .replaceAll('\0', '\\0')
      // The owner of a call: a process, and the number of its attempt.
      .replace(/\b[\w-]{8}\/\d+(?![\w-])/g, '<attempt>')
  );
}

function linesOf(type: string, content: Reply): string {
  const words = [content].flat().map(readable);
  const isPairs = type === 'hash' || type === 'zset';
  const lines = isPairs ? words.flatMap((word, at) => (at % 2 === 0 ? [pair(word, words[at + 1] ?? '')] : [])) : words;
  const ordered = type === 'zset' || type === 'list' ? lines : lines.sort();
  return ordered.map((line) => `  ${line.replaceAll('\n', '\n  ')}\n`).join('');
}

/** The digest of an archive depends on the order in which Redis lists fields, and its size on the version that wrote it. */
const pair = (name: string, value: string): string =>
  `${name}: ${name === 'archive' ? value.replace(/"(sizeBytes|sha256)": ?("\w*"|\d+)/g, '"$1": <of its files>') : value}`;

/** Text as it is, long JSON with line breaks, and other bytes in base64. */
function readable(reply: Reply): string {
  if (!Buffer.isBuffer(reply)) return String(reply);
  const text = reply.toString();
  if (!Buffer.from(text).equals(reply)) return reply.toString('base64');
  if (text.length < LONGEST_LINE || !/^[{[]/.test(text)) return text;
  return JSON.stringify(JSON.parse(text), null, 2);
}

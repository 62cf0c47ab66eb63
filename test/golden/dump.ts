import { readFileSync } from 'node:fs';
import type { Database, Reply } from '../simulation/doubles/redis-server.ts';
import { KEYS } from '../simulation/run/account.ts';

const SNAPSHOT = readFileSync(new URL('../simulation/check/snapshot.lua', import.meta.url), 'utf8');

/** What hangs on how often somebody asked, or is enciphered; and what the simulator keeps for itself. */
const LEFT_OUT = /:(pace|pace-samples|doors|marks|marks:all|token:.*|audit|audit:head)$|^simulated:/;

/** A line of JSON that is longer is broken up. */
const LONGEST_LINE = 120;

/** All that stands in Redis, key by key, in an order of its own. Keys of the account lack what they have in common. */
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
      // A call is owned by a process and the number of its attempt.
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

/** An archive has in it which commit wrote it, and fields in the order in which Redis gave them. */
const pair = (name: string, value: string): string =>
  `${name}: ${name === 'archive' ? value.replace(/"(sizeBytes|sha256)": ?("\w*"|\d+)/g, '"$1": <of its files>') : value}`;

/** Text as it is, JSON so that it can be read, and other bytes in base64. */
function readable(reply: Reply): string {
  if (!Buffer.isBuffer(reply)) return String(reply);
  const text = reply.toString();
  if (!Buffer.from(text).equals(reply)) return reply.toString('base64');
  if (text.length < LONGEST_LINE || !/^[{[]/.test(text)) return text;
  return JSON.stringify(JSON.parse(text), null, 2);
}

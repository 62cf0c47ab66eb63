import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { readLua } from '../../../src/lua-script.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const LUA = join(ROOT, 'src/ledger/lua');

/**
 * What each script of the ledger does where its portfolio is archived, or on its way:
 *
 * - `refuses`: answers that it is archived, and its caller throws that
 * - `quiet`: writes nothing of the portfolio and its rows, and answers as if there were nothing to do
 * - `archives`: is a part of archiving, restoring or forgetting
 * - `reads`: changes nothing of any portfolio
 * - `account`: changes what belongs to the account, to a process or to a plan, and no portfolio
 * - `included`: is a part of others
 */
const SCRIPTS: Record<string, 'refuses' | 'quiet' | 'archives' | 'reads' | 'account' | 'included'> = {
  above: 'included',
  'accept-older': 'account',
  acts: 'refuses',
  alive: 'account',
  amounts: 'included',
  'answer-approval': 'refuses',
  answered: 'included',
  'approval-tally': 'included',
  'approval-moves': 'included',
  approvals: 'included',
  'archive-is': 'included',
  'archive-keys': 'archives',
  'archive-lines': 'included',
  'archive-pieces': 'included',
  'archive-rows': 'archives',
  archived: 'included',
  'beat-import': 'refuses',
  'begin-approval': 'refuses',
  'begin-archive': 'archives',
  'begin-night': 'account',
  'begin-forget': 'archives',
  'begin-restore': 'archives',
  'buyer-rows': 'reads',
  'buyers-of': 'reads',
  cancelled: 'included',
  change: 'included',
  'change-fields': 'refuses',
  'change-side': 'quiet',
  'choose-first': 'quiet',
  'claim-plan': 'account',
  claim: 'included',
  'close-approval': 'refuses',
  'column-rows': 'reads',
  columns: 'included',
  'compare-rows': 'quiet',
  doubt: 'included',
  // Events belong to the account.
  'drop-events': 'account',
  'event-index': 'included',
  'keep-events': 'account',
  derive: 'included',
  doubts: 'included',
  'drop-archive': 'archives',
  'end-archive': 'archives',
  'end-first': 'included',
  'end-import': 'refuses',
  'end-night': 'account',
  'end-restore': 'archives',
  'end-supplier': 'quiet',
  'find-ids': 'reads',
  'find-made': 'reads',
  // What is known of buyers, whom other portfolios may ask for; and calls, which stay.
  'forget-buyers': 'account',
  'forget-calls': 'account',
  'forget-rows': 'archives',
  glances: 'reads',
  'goes-tonight': 'included',
  'has-mark': 'included',
  'hold-inbox': 'account',
  'index-entries': 'included',
  items: 'included',
  'largest-rows': 'reads',
  'last-no': 'reads',
  'leave-archive': 'archives',
  'leave-night': 'account',
  'made-ids': 'included',
  'mark-sending': 'account',
  'may-leave': 'included',
  'mend-approval': 'quiet',
  // A buyer's list of limits, which stays.
  'mend-buyer-limits': 'account',
  // The desk of all portfolios: no archived row is held.
  move: 'included',
  moves: 'included',
  'portfolio-of': 'included',
  schema: 'included',
  'move-former': 'account',
  'nearly-full': 'included',
  'note-alike': 'included',
  'note-cause': 'included',
  'note-forget': 'archives',
  'note-lines': 'refuses',
  'note-plan': 'account',
  'note-taken': 'account',
  'say-process': 'account',
  places: 'included',
  passed: 'included',
  'passed-above': 'reads',
  'people-passed': 'included',
  put: 'refuses',
  'rare-moves': 'included',
  'read-at-once': 'reads',
  'read-buyers': 'reads',
  'recover-call': 'refuses',
  release: 'included',
  refusal: 'included',
  resolve: 'quiet',
  'restore-keys': 'archives',
  'restore-piece': 'included',
  'restore-rows': 'archives',
  resume: 'refuses',
  'same-keys': 'archives',
  'same-rows': 'archives',
  'send-first': 'refuses',
  settle: 'included',
  'start-import': 'refuses',
  'sweep-imports': 'quiet',
  sweep: 'quiet',
  'take-out-keys': 'archives',
  'take-out-rows': 'archives',
  'tell-finished': 'quiet',
  tell: 'included',
  trip: 'quiet',
  unread: 'included',
  'list-rows': 'reads',
  waiting: 'included',
  'walk-rows': 'reads',
  'write-buyers': 'quiet',
};

/** Commands that read, and those on what belongs to nobody. */
const READING =
  /^(H?M?GET|HGETALL|HKEYS|HVALS|HLEN|HEXISTS|HSCAN|EXISTS|TIME|Z?CARD|Z(RANGE|SCORE|INTER|REVRANGE|RANGEBYSCORE|CARD)|S(MEMBERS|ISMEMBER|MISMEMBER|CARD)|LRANGE|LPOS)$/;

const textOf = (name: string) => readFileSync(join(LUA, `${name}.lua`), 'utf8');
const namesOf = (kind: string) => Object.keys(SCRIPTS).filter((name) => SCRIPTS[name] === kind);

test('it is said of every script of the ledger what it does where a portfolio is archived', () => {
  const there = readdirSync(LUA).map((file) => file.replace(/\.lua$/, ''));
  expect(Object.keys(SCRIPTS).sort()).toEqual(there.sort());
});

test.each(namesOf('refuses'))('%s.lua says that the portfolio is archived', (name) => {
  expect(textOf(name)).toMatch(/archivedError\(/);
});

test.each(namesOf('quiet'))('%s.lua looks at whether the portfolio is archived', (name) => {
  expect(readLua(pathToFileURL(join(LUA, `${name}.lua`)))).toMatch(/isArchived\(|'archive'/);
});

test.each(namesOf('reads'))('%s.lua has no command that writes', (name) => {
  const commands = [...textOf(name).matchAll(/\bcall\('([A-Z]+)'/g)].map(([, command = '']) => command);
  expect(commands.filter((command) => !READING.test(command))).toEqual([]);
});

test('no file of the ledger writes fields of a portfolio, or of a row, but by a script', () => {
  const folder = join(ROOT, 'src/ledger');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(({ name }) =>
    name.endsWith('.ts'),
  );
  const writing = /\.(hset|hsetnx|hincrby|hdel|zadd|zrem|sadd|srem|rpush|del|unlink)\(\s*keys\.(portfolio|row)\(/;
  const found = files.filter((file) => writing.test(readFileSync(join(file.parentPath, file.name), 'utf8')));
  expect(found.map(({ name }) => name)).toEqual([]);
});

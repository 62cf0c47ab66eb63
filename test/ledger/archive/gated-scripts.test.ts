import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readLua } from '../../../src/lua-script.ts';
import { scriptsIn } from '../../support/lua-scripts.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FOUND = scriptsIn('src/ledger/lua');

/**
 * What each script of the ledger does if its portfolio is archived, or on its way there:
 *
 * - `refuses`: answers that the portfolio is archived, and its caller throws that
 * - `quiet`: writes nothing of the portfolio and its rows, and answers as if there were nothing to do
 * - `archives`: is a part of archiving, restoring or forgetting
 * - `reads`: changes nothing of any portfolio
 * - `account`: changes what belongs to the account, to a process or to a plan, and no portfolio
 * - `included`: is a part of others
 */
const SCRIPTS: Record<string, 'refuses' | 'quiet' | 'archives' | 'reads' | 'account' | 'included'> = {
  above: 'included',
  acts: 'refuses',
  alive: 'account',
  amounts: 'included',
  'answer-approval': 'refuses',
  'answered-lately': 'reads',
  'ask-session': 'refuses',
  'approval-moves': 'included',
  approvals: 'included',
  'archive-lines': 'included',
  'archive-pages': 'archives',
  archived: 'included',
  'begin-approval': 'refuses',
  'buyer-rows': 'reads',
  'buyer-words': 'included',
  cancelled: 'included',
  change: 'included',
  'change-archive': 'archives',
  'change-fields': 'refuses',
  'change-side': 'quiet',
  claim: 'included',
  'close-approval': 'refuses',
  'amount-rows': 'reads',
  'column-rows': 'reads',
  columns: 'included',
  'compare-rows': 'quiet',
  // Buyers belong to the account.
  'compare-words': 'account',
  doubt: 'included',
  // Events belong to the account.
  'drop-events': 'account',
  // A call keeps its decision, and its rows follow where they can.
  decide: 'account',
  'event-index': 'included',
  'keep-events': 'account',
  'read-events': 'account',
  derive: 'included',
  doubts: 'included',
  'end-first': 'included',
  'find-buyers': 'reads',
  'find-ids': 'reads',
  'find-limits': 'reads',
  'find-requests': 'reads',
  // The feeder finds nothing, and people are refused.
  'first-rows': 'refuses',
  forget: 'archives',
  'has-mark': 'included',
  'hold-plan': 'account',
  'index-entries': 'included',
  items: 'included',
  'largest-rows': 'reads',
  'last-no': 'reads',
  'left-out': 'included',
  lease: 'account',
  'made-ids': 'included',
  'mark-sending': 'account',
  'mend-approval': 'quiet',
  // A buyer's list of limits stays.
  'mend-buyer-limits': 'account',
  move: 'included',
  moves: 'included',
  'portfolio-of': 'included',
  schema: 'included',
  'move-former': 'account',
  'nearly-full': 'included',
  'note-cause': 'included',
  // A heartbeat and an end are refused, and a sweep does nothing.
  'note-import': 'refuses',
  'note-lines': 'refuses',
  'note-night': 'account',
  'note-taken': 'account',
  'say-process': 'account',
  places: 'included',
  'plain-record': 'included',
  passed: 'included',
  'passed-above': 'reads',
  'people-passed': 'included',
  put: 'refuses',
  'put-back': 'archives',
  'rare-moves': 'included',
  'read-at-once': 'reads',
  'read-buyers': 'reads',
  'recover-call': 'refuses',
  release: 'included',
  refusal: 'included',
  'request-rows': 'reads',
  resolve: 'quiet',
  'set-digest': 'reads',
  settle: 'included',
  'start-import': 'refuses',
  sweep: 'quiet',
  tell: 'included',
  batch: 'quiet',
  'list-rows': 'reads',
  'read-rows': 'reads',
  'write-buyers': 'quiet',
};

/** Commands that write nothing. */
const READING =
  /^(H?M?GET|HGETALL|HKEYS|HVALS|HLEN|HEXISTS|HSCAN|EXISTS|TIME|Z?CARD|Z(RANGE|SCORE|INTER|REVRANGE|RANGEBYSCORE|CARD)|S(MEMBERS|ISMEMBER|MISMEMBER|CARD)|LRANGE|LPOS)$/;

const textOf = (name: string) => FOUND.find((script) => script.name === name)?.text ?? '';
const namesOf = (kind: string) => Object.keys(SCRIPTS).filter((name) => SCRIPTS[name] === kind);

// Promise: nothing-changes-archived
test('SCRIPTS lists every script of the ledger with what it does to an archived portfolio', () => {
  const found = FOUND.map(({ name }) => name).sort();
  expect(Object.keys(SCRIPTS).sort(), 'SCRIPTS of this file has each script with what it does').toEqual(found);
});

test.each(namesOf('refuses'))('%s.lua answers with the error of an archived portfolio', (name) => {
  expect(textOf(name)).toMatch(/archivedError\(/);
});

test.each(namesOf('quiet'))('%s.lua checks whether the portfolio is archived', (name) => {
  const url = FOUND.find((script) => script.name === name)?.url;
  expect(url && readLua(url)).toMatch(/isArchived\(|'archive'/);
});

test.each(namesOf('reads'))('%s.lua has no command that writes', (name) => {
  const commands = [...textOf(name).matchAll(/\bcall\('([A-Z]+)'/g)].map(([, command = '']) => command);
  expect(commands.filter((command) => !READING.test(command))).toEqual([]);
});

test('no TypeScript file of the ledger writes keys of a portfolio or a row except through a script', () => {
  const folder = join(ROOT, 'src/ledger');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(({ name }) =>
    name.endsWith('.ts'),
  );
  const writing = /\.(hset|hsetnx|hincrby|hdel|zadd|zrem|sadd|srem|rpush|del|unlink)\(\s*keys\.(portfolio|row)\(/;
  const found = files.filter((file) => writing.test(readFileSync(join(file.parentPath, file.name), 'utf8')));
  expect(found.map(({ name }) => name)).toEqual([]);
});

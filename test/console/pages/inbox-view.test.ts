import { expect, test } from 'vitest';
import { readInbox } from '../../../jobs/inbox/watch-inbox.ts';
import { type InboxFacts, inboxSection } from '../../../src/console/pages/nightly/inbox-view.ts';
import type { TakenFile } from '../../../src/ledger/inbox/inbox.ts';
import { callCommand } from '../../support/command.ts';
import { openInbox } from '../../support/inbox.ts';
import { buyerLines } from '../../support/workplace.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');
const FILE: TakenFile = {
  id: '20261122T013000Z-q4',
  folder: 'f',
  name: 'q4.csv',
  documents: [],
  portfolio: 'q4 & co',
  atMs: NOW_MS - 60_000,
  is: 'imported',
  words: '4 lines imported.',
  found: { lines: 4, rows: 1, invalid: 2, duplicate: 1 },
  results: '20261122T013000Z-q4.results.csv',
  errors: '20261122T013000Z-q4.errors.csv',
};
const FACTS: InboxFacts = {
  folder: '/srv/inbox',
  mapping: 'bank',
  isOnSchedule: false,
  fault: undefined,
  lying: [{ name: '<b>.csv', why: 'it is empty' }],
  more: 3,
  lately: [
    FILE,
    { ...FILE, id: 'bad', is: 'rejected', words: 'It is a link.' },
    { ...FILE, id: 'stuck', is: 'taken', words: 'The disk is full.' },
  ],
  nowMs: NOW_MS,
};

test('the section shows the files in the drop folder, the imported ones and their results', () => {
  const text = String(inboxSection(FACTS));
  for (const words of [
    '/srv/inbox',
    'with the mapping <bdi>bank</bdi>',
    'at once, when the file is complete',
    '&lt;b&gt;.csv',
    'it is empty',
    '3 more files.',
    '<a href="/portfolios/q4%20%26%20co">4 lines imported.</a>',
    'Problems of 3 lines: <bdi>done/20261122T013000Z-q4.problems.csv</bdi>',
    'Results: <bdi>done/20261122T013000Z-q4.results.csv</bdi>',
    'drop the file again: <bdi>done/20261122T013000Z-q4.errors.csv</bdi>',
    '<strong class="is-bad">Not taken in.</strong> It is a link.',
    '<bdi>rejected/bad.problems.txt</bdi>',
    '<strong class="is-bad">Waits.</strong> The disk is full.',
  ]) {
    expect(text).toContain(words);
  }
});

test('the section does not suggest correcting an errors file after a later import into its portfolio', () => {
  const { errors: _none, ...later } = { ...FILE, id: 'later', atMs: FILE.atMs + 1 };
  const text = String(inboxSection({ ...FACTS, lately: [later, FILE] }));
  expect(text).toContain('Lines to correct before the next file came: <bdi>done/20261122T013000Z-q4.errors.csv</bdi>');
  expect(text).not.toContain('drop the file again');
});

test('without a drop folder the section explains its setup, unless files were imported before', () => {
  const none = { ...FACTS, folder: undefined, lying: [], more: 0 };
  expect(String(inboxSection({ ...none, lately: [] }))).toContain('No drop folder is set up.');
  expect(String(inboxSection(none))).toContain('none');
});

test('readInbox returns the waiting and the imported files, and reports a missing folder', async () => {
  const { drop, takeIn, context } = await openInbox();
  await drop('q4.csv', `${buyerLines(1).join('\n')}\n`);
  await takeIn();
  await drop('empty.csv', '');
  expect(await readInbox(context)).toMatchObject({
    fault: undefined,
    lying: [{ name: 'empty.csv', why: expect.stringContaining('it is empty') }],
    lately: [{ name: 'q4.csv', is: 'imported' }],
  });
  const settings = { ...context.settings, LIMITLINE_INBOX: '/none', LIMITLINE_SCHEDULE: 'inbox 02:30' };
  const away = await readInbox({ ...context, settings });
  expect(away).toMatchObject({
    isOnSchedule: true,
    lying: [],
    fault: expect.stringContaining('/none: it is not there'),
  });
  expect(String(inboxSection(away))).toContain('The drop folder cannot be read.');
});

test('the section and `inbox` say that the mapping that is set cannot be used', async () => {
  const { drop, context, dir, env } = await openInbox({ env: { LIMITLINE_INBOX_MAPPING: 'bank' } });
  await drop('q4.csv', `${buyerLines(1).join('\n')}\n`);
  const facts = await readInbox(context);
  expect(facts.mappingFault).toMatch(/^There is no mapping "bank"; none was kept yet\./);
  expect(String(inboxSection(facts))).toContain('The mapping cannot be used, so no file is imported.');
  expect(String(inboxSection(FACTS))).not.toContain('cannot be used');
  // Without a folder here, another computer takes the files, by its own mappings.
  const elsewhere = { ...context.settings, LIMITLINE_INBOX: undefined };
  expect((await readInbox({ ...context, settings: elsewhere })).mappingFault).toBeUndefined();
  const { stdout } = await callCommand(['inbox'], { cwd: dir, env });
  expect(stdout).toMatch(/^The mapping cannot be used, so no file is taken: There is no mapping "bank"/m);
});

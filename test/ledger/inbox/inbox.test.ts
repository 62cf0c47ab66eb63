import { expect, test } from 'vitest';
import { makeInbox, type TakenFile } from '../../../src/ledger/inbox/inbox.ts';
import { openLedger } from '../../support/ledger.ts';

function openInbox(kept?: number) {
  const { connection, keys } = openLedger();
  return { connection, keys, inbox: makeInbox({ connection, keys, ...(kept === undefined ? {} : { kept }) }) };
}

const file = (id: string, changes: Partial<TakenFile> = {}): TakenFile => ({
  id,
  folder: 'f',
  name: `${id}.csv`,
  documents: [],
  portfolio: id,
  atMs: Number(id.slice(1)),
  is: 'imported',
  words: '',
  content: `content of ${id}`,
  ...changes,
});

test('one process at a time works on a folder', async () => {
  const { inbox } = openInbox();
  const works = async () => 'works';
  const inside = await inbox.alone('f', 'a', () =>
    Promise.all([inbox.alone('f', 'b', works), inbox.alone('other', 'b', works)]),
  );
  expect(inside).toEqual([undefined, 'works']);
  expect(await inbox.alone('f', 'b', works)).toBe('works');
});

test('a content is found under the first file that imported it, and not under a file that is not imported', async () => {
  const { inbox } = openInbox();
  await inbox.note(file('f1', { is: 'taken' }));
  expect(await inbox.imported('content of f1')).toBeUndefined();
  await inbox.note(file('f1'));
  await inbox.note(file('f2', { content: 'content of f1' }));
  expect(await inbox.imported('content of f1')).toMatchObject({ id: 'f1' });
});

test('files are listed newest first, and a file is open until its results are written', async () => {
  const { inbox } = openInbox();
  for (const one of [file('f1'), file('f3'), file('f2', { is: 'rejected' })]) await inbox.note(one);
  expect((await inbox.lately(2)).map(({ id }) => id)).toEqual(['f3', 'f2']);
  expect((await inbox.open()).map(({ id }) => id).sort()).toEqual(['f1', 'f3']);
  await inbox.note(file('f3', { results: 'f3.results.csv' }));
  await inbox.forget('f1');
  expect(await inbox.open()).toEqual([]);
  expect(await inbox.read('f1')).toBeUndefined();
});

test('the oldest files are forgotten with their contents, and the newer ones stay', async () => {
  const { inbox, connection, keys } = openInbox(3);
  for (let n = 1; n <= 5; n += 1) await inbox.note(file(`f${n}`));
  // This file has the same content as f5.
  await inbox.note(file('f6', { content: 'content of f5' }));
  expect((await inbox.lately(9)).map(({ id }) => id)).toEqual(['f6', 'f5', 'f4']);
  expect(await inbox.imported('content of f3')).toBeUndefined();
  expect(await inbox.imported('content of f5')).toMatchObject({ id: 'f5' });
  expect(await connection.scard(keys.inboxOpen)).toBe(3);
});

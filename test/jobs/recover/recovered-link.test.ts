import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recoverResults } from '../../../jobs/recover/recover-results.ts';
import { makeDocumentFolder } from '../../../src/documents/folder.ts';
import { contentDigest } from '../../../src/ledger/calls/claim-answers.ts';
import { callCommand } from '../../support/call-command.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';

test('a link that recover puts back has no time: its row may have changed later by a decision', async () => {
  const { context, dir, env } = await openFinishedPortfolio(1);
  const { decisions, ledger, keys, calls } = context;
  const id = 'bl_q41';
  const limit = await decisions.find(id);
  const row = limit?.maker;
  if (!limit || !row) throw new Error('no limit');
  const link = 'https://forms.example.com/s/1';
  await calls.sessions.putBack(id, { link, row: `q4/${row.key}` }, { write: true });
  const word = {
    limit: id,
    status: 'approved',
    total: '1',
    available: '1',
    at: new Date().toISOString(),
    isDated: true,
  };
  expect(await decisions.decide(limit, word, { by: 'anna', file: 'later.csv' })).toBe('taken');
  await decisions.follow(row, id, { by: 'anna', file: 'later.csv' });
  const path = join(dir, 'q4.results.csv');
  await callCommand(['report', 'q4', '--format', 'csv', '--out', path], { cwd: dir, env });
  const thing = contentDigest(id);
  await ledger.del(keys.call('session', `${thing}.1`), keys.sessionsAsked);
  const { put } = await recoverResults(
    { path, write: true },
    { ...context, signal: new AbortController().signal, documents: makeDocumentFolder({ dir, maxSizeMb: 1 }) },
  );
  expect(put.session).toBe(1);
  const [session] = await calls.sessions.of(id);
  expect(session).toMatchObject({ sessionLink: link, askedMs: undefined });
});

import { expect, test } from 'vitest';
import type { TakenIn } from '../../../jobs/inbox/take-in.ts';
import { inboxResult, takeInDropped } from '../../../jobs/nightly/tasks.ts';
import type { TakenFile } from '../../../src/ledger/inbox/inbox.ts';
import { openInbox } from '../../support/inbox.ts';

const NOTHING: TakenIn = { files: [], lying: [], results: [], isElsewhere: false };
const file = (is: TakenFile['is'], changes: Partial<TakenFile> = {}): TakenFile => {
  return { id: 'x', folder: 'f', name: 'x.csv', documents: [], portfolio: 'x', atMs: 0, words: '', is, ...changes };
};
const found = { lines: 4, rows: 1, invalid: 2, duplicate: 1 };

test.each<[Partial<TakenIn>, string, string]>([
  [{}, 'well', 'Nothing lay in the drop folder.'],
  [{ isElsewhere: true }, 'well', 'Another process is taking in what lies in the drop folder.'],
  [{ files: [file('imported'), file('again')] }, 'well', 'Drop folder: 1 file imported, 1 file imported before.'],
  [{ files: [file('imported', { found })] }, 'findings', 'Drop folder: 1 file imported, 3 lines led to no row.'],
  [
    { files: [file('rejected')], results: ['q4'] },
    'findings',
    'Drop folder: 1 file rejected, results of 1 portfolio written there.',
  ],
  [{ lying: [{ name: 'a', why: '', writtenMs: 0, leftMs: 5 }] }, 'well', 'Drop folder: 1 file still being written.'],
  [
    { lying: [{ name: 'a', why: '', writtenMs: 0, leftMs: undefined }] },
    'findings',
    'Drop folder: 1 file could not be imported yet.',
  ],
])('%j is %s: %s', (taken, is, words) => expect(inboxResult({ ...NOTHING, ...taken })).toEqual({ is, words }));

test('without a drop folder there is nothing to do', async () => {
  const { source } = await openInbox();
  const without = { ...source, settings: { ...source.settings, LIMITLINE_INBOX: undefined } };
  const night = { id: 'n', atMs: 0, by: 'nightly', signal: new AbortController().signal };
  expect(await takeInDropped(without, night)).toMatchObject({ is: 'well', words: /LIMITLINE_INBOX is not set/ });
  expect(await takeInDropped(source, night)).toMatchObject({ words: 'Nothing lay in the drop folder.' });
});

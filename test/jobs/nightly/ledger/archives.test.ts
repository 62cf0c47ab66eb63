import { mkdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROWS } from '../../../../jobs/archive/archive-files.ts';
import { archivePortfolio } from '../../../../jobs/archive/archive-portfolio.ts';
import { lookThrough } from '../../../../jobs/nightly/reconcile.ts';
import type { FoundItem } from '../../../../src/ledger/nightly/checks.ts';
import { buyerLines, openWorkplace } from '../../../support/workplace.ts';

const DAY_MS = 86_400_000;

type Place = Awaited<ReturnType<typeof openWorkplace>>;

/** The findings of a night, for the ledger and for finance. Each archive is read in one of seven nights. */
async function found({ context }: Pick<Place, 'context'>, inDays = 0): Promise<FoundItem[]> {
  const items: FoundItem[] = [];
  const sink = { found: (item: FoundItem) => void items.push(item) };
  const signal = new AbortController().signal;
  const { notes } = await lookThrough(context, sink, { atMs: Date.now() + inDays * DAY_MS, signal, lookAgainMs: 0 });
  expect(notes).toEqual([]);
  return items;
}

/** A portfolio with a document, a refused row and its failed job. Its files have the age of archived ones. */
async function openArchived() {
  const rule = { on: 'limit', match: 'HRB 3', fault: 'status', status: 422, body: 'no' } as const;
  const place = await openWorkplace({ faults: { rules: [rule] } });
  const [header, ...lines] = buyerLines(3).map((line, at) => `${line},${at === 0 ? 'supporting_documents' : ''}`);
  await mkdir(join(place.dir, 'documents'));
  await writeFile(join(place.dir, 'documents', 'balance.pdf'), '%PDF-1.4\n%%EOF\n');
  const path = join(place.dir, 'q4.csv');
  await writeFile(path, `${[header, `${lines[0]}balance.pdf`, ...lines.slice(1)].join('\n')}\n`);
  expect((await place.importFile(path)).problems).toEqual([]);
  // A second portfolio's file shows that this data folder belongs to the account.
  await place.import(buyerLines(1), { portfolio: 'other' });
  const workers = await place.work();
  await place.settled();
  await place.settled('other');
  await workers.stop();
  const { storedDocuments, storedFiles } = place.context;
  for (const looks of [storedDocuments, storedFiles]) {
    for await (const names of looks.names()) for (const name of names) await utimes(looks.pathOf(name), 1, 1);
  }
  const before = await found(place);
  // This is the state after a process died while archiving. Its files are still in use, so there is no finding.
  const state = { is: 'archiving', id: 'gone', by: 'ana', sinceMs: Date.now(), startedMs: 1, finishedMs: 1 };
  await place.context.ledger.hset(place.context.keys.portfolio('q4'), 'archive', JSON.stringify(state));
  const meanwhile = await found(place);
  const archived = await archivePortfolio(place.context, 'q4', { by: 'ana', signal: new AbortController().signal });
  return { ...place, before, meanwhile, folder: archived.folder };
}

// Promise: archived-files-are-named
test('an archived portfolio has no findings about files, documents, buyers or jobs', async () => {
  const place = await openArchived();
  // While its rows were in Redis, the refused row was a finding for finance.
  expect(place.before.map(({ check }) => check).sort()).toEqual(['no limit', 'refused']);
  expect(place.meanwhile).toEqual([]);
  expect(await found(place)).toEqual([]);
  expect(await place.context.queues.failedRows()).toEqual(new Map());
  await place.import(buyerLines(3), { portfolio: 'again' });
  const workers = await place.work();
  await place.settled('again');
  await workers.stop();
  // The refused buyer is without a limit again. The other limits are known, although their rows are archived.
  const again = (await found(place)).map(({ check, portfolio, line }) => ({ check, portfolio, line }));
  expect(again).toEqual(['refused', 'no limit'].map((check) => ({ check, portfolio: 'again', line: 4 })));
});

// Promise: damaged-archive-is-found
test('a missing, truncated or changed archive is found, and its documents do not count as unused', async () => {
  const place = await openArchived();
  const rows = join(place.folder, ROWS);
  const content = await readFile(rows);
  const one = (says: RegExp) => [
    expect.objectContaining({ check: 'archives', portfolio: 'q4', isMended: false, says: expect.stringMatching(says) }),
  ];

  await writeFile(rows, content.subarray(0, content.length - 1));
  expect(await found(place)).toEqual(one(/not what was written/));

  const other = Buffer.from(content);
  other[other.length - 6] = (other.at(-6) ?? 0) ^ 1;
  await writeFile(rows, other);
  // The size is right. One of seven nights reads the content and finds the damage.
  const nights = [];
  for (let day = 0; day < 7; day += 1) nights.push(...(await found(place, day)));
  expect(nights).toEqual(one(/not what was written/));

  await writeFile(rows, content);
  expect(await found(place)).toEqual([]);
  await rename(place.folder, `${place.folder} away`);
  await mkdir(`${place.folder}.part`);
  // The archive's content is also unknown if its folder is on a disk that is missing today.
  expect(await found(place)).toEqual(one(/whose files are not in the data folder/));
  const account = dirname(dirname(place.folder));
  const elsewhere = join(place.dir, 'elsewhere');
  await rename(`${place.folder} away`, place.folder);
  await rename(account, elsewhere);
  expect(await found(place)).toEqual(one(/whose files are not in the data folder/));
  await symlink(elsewhere, account);
  expect(await found(place)).toEqual([]);
});

// Promise: stuck-archive-is-found
test('archiving or restoring that began more than an hour ago is reported with the command that resumes it', async () => {
  const place = await openWorkplace();
  const { ledger, keys, portfolios } = place.context;
  await place.import(buyerLines(1), { portfolio: 'other' });
  const begun = { archiving: 'archive', leaving: 'archive', restoring: 'restore', forgetting: 'forget' };
  const names = Object.keys(begun).map((is) => `is ${is}`);
  for (const name of names) {
    await (await portfolios.startImport(name, { id: 'i', fileName: 'f.csv', reading: '{}' })).end();
    if (name === 'is archiving') continue;
    await ledger.zrem(keys.portfolios, name);
    await ledger.zadd(keys.archives, 1, name);
  }
  const since = async (sinceMs: number) => {
    for (const is of Object.keys(begun)) {
      const state = { is, id: 'gone', by: 'ana', sinceMs, startedMs: 1, finishedMs: 1 };
      await ledger.hset(keys.portfolio(`is ${is}`), 'archive', JSON.stringify(state));
    }
  };
  const commands = async () => {
    const items = (await found(place)).filter(({ says }) => says.includes('on their way'));
    return items.map(({ command }) => command).sort();
  };
  await since(Date.now() - 3_700_000);
  expect(await commands()).toEqual(
    Object.entries(begun)
      .map(([is, command]) => `${command} "is ${is}"`)
      .sort(),
  );
  await since(Date.now());
  expect(await commands()).toEqual([]);
});

test('portfolios of which Redis has lost the record are found, also archived ones', async () => {
  const place = await openArchived();
  const { ledger, keys } = place.context;
  await ledger.unlink(keys.portfolio('q4'), keys.portfolio('other'));
  const lostOnes = (await found(place)).filter(({ says }) => says.startsWith('Redis has lost'));
  expect(lostOnes).toEqual([
    expect.objectContaining({ check: 'counts', portfolio: 'other', isMended: false }),
    expect.objectContaining({ check: 'archives', portfolio: 'q4', detail: dirname(place.folder), isMended: false }),
  ]);
});

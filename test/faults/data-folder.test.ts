import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blockedNow } from '../../src/metrics/process-metrics.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { readCallsHeld } from '../../src/pace/calls-held.ts';
import { describePace } from '../../src/pace/pace-words.ts';
import { openWorkplace } from '../support/workplace.ts';

/** For the first of several tries, on a busy machine. */
const SEEN_WITHIN = { timeout: 60_000 };

const HEADER = 'name,country_code,company_registration_number,requested_limit,supporting_documents';
const WORDS = /^no document uploads leave, since the data folder cannot be used \(.*documents cannot be read.*\)/;

/** A portfolio of so many rows, each with its own document in the data folder. */
async function placeWithDocuments(rows: number) {
  const place = await openWorkplace({ env: { SERVICE_CONCURRENCY: '4' } });
  await mkdir(join(place.dir, 'documents'));
  const lines = [HEADER];
  for (let n = 1; n <= rows; n += 1) {
    await writeFile(join(place.dir, 'documents', `accounts-${n}.pdf`), `%PDF-1.4\n% of ${n}\n`);
    lines.push(`Buyer ${n},DE,HRB ${n},1000.50,accounts-${n}.pdf`);
  }
  await place.import(lines);
  const kept = join(place.context.settings.LIMITLINE_DATA, 'documents');
  return { ...place, kept };
}

/** The states in which the documents folder cannot be used. */
const SPOILT: [what: string, spoil: (kept: string) => unknown][] = [
  ['nothing', () => {}],
  ['the empty place of a disk that is not mounted', (kept) => mkdir(kept)],
  ['what cannot be looked into', (kept) => writeFile(kept, '')],
];

async function passThrough([what, spoil]: (typeof SPOILT)[number]): Promise<void> {
  const { kept, work, report, settled, context, standIn } = await placeWithDocuments(12);
  await rename(kept, `${kept}-away`);
  await spoil(kept);
  await work();
  const pace = async () => (await lookAtPace(context)) ?? expect.fail('there is no pace');
  await expect.poll(async () => describePace({ ...(await pace()), flowPerS: 0 }), SEEN_WITHIN).toMatch(WORDS);
  expect(blockedNow(await pace()), what).toEqual(new Set(['data folder']));
  const { tripped } = await readCallsHeld(context.ledger, context.keys);
  expect(tripped, 'nobody is told that the service is away').toEqual([]);
  expect(await report(), what).toMatchObject({ states: { refused: 0, held: 0, done: 0 }, causes: [] });
  await rm(kept, { recursive: true, force: true });
  await rename(`${kept}-away`, kept);
  expect((await settled()).states, what).toMatchObject({ done: 12, refused: 0, held: 0 });
  expect(standIn.madeTwice()).toEqual([]);
}

// Promises: lost-folder-refuses-no-row, outage-refuses-nothing
test('rows wait while the data folder or its documents cannot be read, and continue afterwards, and none is refused', async () => {
  // In parallel, because most of the time passes until the folder is checked again.
  await Promise.all([...SPOILT.map(passThrough), readFails(), allIsGone()]);
});

// Promise: deleted-document-its-row-alone
test('a deleted document refuses its own row only, and the problem names the document', async () => {
  const { kept, work, settled } = await placeWithDocuments(3);
  const [folder = ''] = (await readdir(kept)).filter((name) => name.length === 2);
  await rm(join(kept, folder), { recursive: true });
  await mkdir(join(kept, folder));
  await work();
  const { states, causes } = await settled();
  expect(states).toMatchObject({ done: 2, refused: 1 });
  expect(causes).toMatchObject([
    {
      meaning: 'ours',
      status: null,
      words: expect.stringMatching(/No document .* is kept .* import the file that names it again/),
    },
  ]);
});

/** A disk that fails while a document is read makes no outcome unknown: the row waits until the disk works again. */
async function readFails(): Promise<void> {
  const { kept, work, report, settled, standIn, context } = await placeWithDocuments(2);
  const away = new Map<string, string>();
  for (const folder of (await readdir(kept)).filter((name) => name.length === 2)) {
    for (const name of await readdir(join(kept, folder))) {
      const path = join(kept, folder, name);
      away.set(path, `${path}-away`);
      await rename(path, `${path}-away`);
      // A folder can be opened like a file, but not read.
      await mkdir(path);
    }
  }
  await work();
  const words = async () => describePace({ ...((await lookAtPace(context)) ?? expect.fail('no pace')), flowPerS: 0 });
  await expect.poll(words, SEEN_WITHIN).toMatch(/^no document uploads leave, since the data folder cannot be used/);
  expect((await report()).states).toMatchObject({ held: 0, refused: 0, documents: 2 });
  for (const [path, from] of away) {
    await rm(path, { recursive: true });
    await rename(from, path);
  }
  expect((await settled()).states).toMatchObject({ done: 2, refused: 0, held: 0 });
  expect(standIn.madeTwice()).toEqual([]);
}

/** A missing data folder stops calls of each kind, with this reason. */
async function allIsGone(): Promise<void> {
  const { work, settled, context } = await placeWithDocuments(2);
  const data = context.settings.LIMITLINE_DATA;
  await rename(data, `${data}-away`);
  await writeFile(data, '');
  await work();
  const words = async () => describePace({ ...((await lookAtPace(context)) ?? expect.fail('no pace')), flowPerS: 0 });
  await expect.poll(words, SEEN_WITHIN).toMatch(/^no company requests leave, since the data folder cannot be used/);
  await rm(data);
  await rename(`${data}-away`, data);
  expect((await settled()).states).toMatchObject({ done: 2, refused: 0, held: 0 });
}

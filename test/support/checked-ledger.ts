import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkLedger } from '../../jobs/nightly/ledger/index.ts';
import type { FoundItem } from '../../src/ledger/nightly/checks.ts';
import { openWorkplace } from './workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

/** The findings of a night. Rows that disagree with their calls are checked again at once. */
export async function found({ context }: Pick<Place, 'context'>): Promise<FoundItem[]> {
  const items: FoundItem[] = [];
  const sink = { found: (item: FoundItem) => void items.push(item) };
  const { notes } = await checkLedger(context, { sink, signal: new AbortController().signal, lookAgainMs: 0 });
  expect(notes).toEqual([]);
  return items;
}

/** Four buyers with limits, one with a document, and two queued rows; no worker runs. */
export async function quietPlace() {
  const place = await openWorkplace();
  const path = join(place.dir, 'q4.csv');
  const header = 'name,country_code,company_registration_number,requested_limit,supporting_documents';
  const line = (n: number, document = '') => `Buyer ${n} GmbH,DE,HRB ${n},${n}000.50,${document}`;
  await mkdir(join(place.dir, 'documents'));
  await writeFile(join(place.dir, 'documents', 'balance.pdf'), '%PDF-1.4\n%%EOF\n');
  await writeFile(path, [header, line(1, 'balance.pdf'), line(2), line(3), line(4), ''].join('\n'));
  expect((await place.importFile(path)).problems).toEqual([]);
  const workers = await place.work();
  await place.settled();
  await workers.stop();
  await writeFile(path, [header, line(5), line(6), ''].join('\n'));
  await place.importFile(path, {}, { portfolio: 'to come' });
  const [first] = await place.context.rows.inState('q4', 'done', { count: 1 });
  if (!first) throw new Error('no row is done');
  return { ...place, row: first.row, path };
}

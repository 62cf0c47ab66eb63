import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { walkRows } from '../../jobs/rows/walk-rows.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { openContextOf, openDesk } from './desk.ts';
import { endRow } from './finished-portfolio.ts';

export const UNDER_REVIEW = {
  on: 'limit' as const,
  match: 'HRB',
  fault: 'decision' as const,
  status: 'in_progress',
  share: 0,
};

/** The time in so many minutes. */
export const later = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

/** Imports the file of a desk, and ends its rows under review as if a run had sent them. Returns the ledger. */
export async function importUnderReview(desk: Awaited<ReturnType<typeof openDesk>>) {
  await desk.limitline('import', 'q4.csv');
  const context = await openContextOf(desk);
  await walkRows(context.rows, 'q4', 'queued', async ({ row, result: { request } }) =>
    endRow({ row, buyer: request.buyer, id: row.key }, { record: { status: UNDER_REVIEW.status } }, context),
  );
  return context;
}

/** Rows under review, and the ids of their limits in the order of their lines. Only with rules a run sends them. */
export async function openReview(rows: number, rules?: FaultChange['rules']) {
  const desk = await openDesk(rows, rules ? { rules } : {});
  if (rules) await desk.limitline('run', 'q4.csv');
  const context = rules ? await openContextOf(desk) : await importUnderReview(desk);
  for (const [status, means] of [
    ['in_progress', 'review'],
    ['rejected', 'declined'],
  ] as const)
    await context.statusMeanings.set(status, means);
  const [header = '', ...lines] = (await desk.limitline('report', 'q4', '--format', 'csv')).stdout.split('\r\n');
  const cell = (line: string, name: string) => line.split(',')[header.split(',').lastIndexOf(name)] ?? '';
  const done = lines.filter((line) => line !== '');
  const decide = async (said: readonly string[], ...options: string[]) => {
    const path = join(desk.cwd, 'later.csv');
    await writeFile(
      path,
      `${['buyer_limit_id,row,status,total_limit,available_limit,decided_at', ...said].join('\n')}\n`,
    );
    return desk.limitline('decisions', 'later.csv', ...options);
  };
  const ids = done.map((line) => cell(line, 'buyer_limit_id'));
  const names = done.map((line) => cell(line, 'row'));
  const outcomes = async () => (await desk.json('report', 'q4')).outcomes;
  return { ...desk, ids, names, decide, outcomes };
}

import { archivePortfolio } from '../../jobs/archive/archive-portfolio.ts';
import { type RestoreProgress, restorePortfolio } from '../../jobs/archive/restore-portfolio.ts';
import { walkRows } from '../../jobs/rows/walk-rows.ts';
import type { Context } from '../../src/context.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { LimitDecision } from '../../src/portfolio/results/decisions-file.ts';
import { pictureOf } from './redis-picture.ts';
import { buyerLines, openWorkplace } from './workplace.ts';

const NEVER = new AbortController().signal;

/**
 * A workplace with a finished portfolio `q4` of real files and without workers. Every third row was refused, every
 * fifth cancelled, and the others are done, as if workers had called the service.
 */
export async function openFinishedPortfolio(count: number, env: Record<string, string> = {}) {
  const place = await openWorkplace({ env });
  const { context } = place;
  const { ledger, keys } = context;
  const finish = (portfolio: string) => finishPortfolio(portfolio, context);

  await place.import(buyerLines(count), { by: 'alice' });
  await finish('q4');
  return {
    ...place,
    finish,
    archive: (name = 'q4', deps: Partial<typeof context> = {}) =>
      archivePortfolio({ ...context, ...deps }, name, { by: 'alice', signal: NEVER }),
    restore: (name = 'q4', onProgress?: (progress: RestoreProgress) => void | Promise<void>, signal = NEVER) =>
      restorePortfolio(context, name, { signal, ...(onProgress ? { onProgress } : {}) }),
    /** The content of Redis, without the times of what was restored. */
    picture: async () => {
      const { ':restored': _moments, ...all } = await pictureOf(ledger, keys.account.replace(/:account$/, ''));
      return all;
    },
  };
}

/** The author and the file of decisions here. */
export const TOLD = { by: 'anna', file: 'later.csv' };

/** Such a portfolio, and the words of a file of decisions about its limits; `bl_q41` unless another one is named. */
export async function openDecisions(count: number) {
  const place = await openFinishedPortfolio(count);
  const { decisions } = place.context;
  const limitOf = async (id = 'bl_q41') => {
    const limit = await decisions.find(id);
    if (!limit?.maker) throw new Error(`There is no limit ${id}`);
    return { ...limit, maker: limit.maker };
  };
  const word = (status: string, changes: Partial<Parameters<typeof decisions.decide>[1]> = {}) => {
    return {
      limit: 'bl_q41',
      status,
      total: '',
      available: '',
      at: new Date().toISOString(),
      isDated: true,
      ...changes,
    };
  };
  return {
    ...place.context,
    limitOf,
    word,
    /** Decides a limit, and lets its rows follow. */
    async decide(...said: Parameters<typeof word>) {
      const one = word(...said);
      const limit = await limitOf(one.limit);
      const decided = await decisions.decide(limit, one, TOLD);
      return { decided, followed: await decisions.follow(limit.maker, one.limit, TOLD) };
    },
  };
}

/**
 * Ends the rows of a portfolio as {@link openFinishedPortfolio} describes, with the functions of the ledger that
 * workers use.
 */
export async function finishPortfolio(
  portfolio: string,
  { rows, calls, portfolios }: Pick<Context, 'rows' | 'calls' | 'portfolios'>,
): Promise<void> {
  let at = 0;
  await walkRows(rows, portfolio, 'queued', async ({ row, result }) => {
    at += 1;
    // Rows of a page are processed in parallel.
    const n = at;
    if (n % 5 === 0) return rows.leaveOut(row, { importId: '9', begun: '9' }, { step: 'limit', message: 'left out' });
    const refused = n % 3 === 0 ? `no, not ${n}` : undefined;
    const record = { status: 'approved', total_limit: '1000', available_limit: '900' };
    return endRow({ row, buyer: result.request.buyer, id: `${portfolio}${n}` }, { record, refused }, { rows, calls });
  });
  if ((await portfolios.read(portfolio)).finishedMs === undefined) throw new Error(`${portfolio} is not finished`);
}

type Ending = { row: RowId; buyer: string; id: string };

/** Makes the company and the limit of a row, as workers do when the service answers with this record. */
export async function endRow(
  { row, buyer, id }: Ending,
  { record, refused }: { record: Record<string, string>; refused?: string | undefined },
  { rows, calls }: Pick<Context, 'rows' | 'calls'>,
): Promise<true> {
  await rows.begin(row, 'company');
  const company = { kind: 'company', key: buyer, row, revision: '0' } as const;
  await calls.claim(company, { owner: 'w/1', onUnknown: 'hold' });
  await calls.settle(company, 'w/1', { id: `company_${id}`, record: {}, buyer });
  await rows.advance(row, 'company', 'limit', { company: `company_${id}` });
  if (refused !== undefined) {
    const problem = { step: 'limit', message: refused, status: 400 } as const;
    await rows.advance(row, 'limit', 'refused', { problem, cause: undefined as never });
    return true;
  }
  const limit = { kind: 'limit', key: row.key, row, revision: '0' } as const;
  await calls.claim(limit, { owner: 'w/2', onUnknown: 'hold' });
  await calls.settle(limit, 'w/2', { id: `bl_${id}`, record, buyer });
  await rows.advance(row, 'limit', 'done', { limit: `bl_${id}`, record });
  return true;
}

/** A time after all answers. */
export const soon = (minutes: number) => new Date(Date.UTC(2100, 0, 1, 0, minutes)).toISOString();

/** A file of decisions, each `[id, status, minute]`; without a minute, the decision has no time. */
export function fileOf(
  said: readonly (readonly [string, string, number | undefined])[],
  more: Partial<LimitDecision> = {},
) {
  const decisions = said.map(([id, status, minute], place): LimitDecision => {
    const decided = minute === undefined ? undefined : soon(minute);
    return { at: place + 2, id, row: '', status, total: '10', available: '10', decided, ...more };
  });
  return { decisions, silent: 0, problems: [], warnings: [], name: 'later.csv' };
}

/** The status of a limit's call, and of each existing row of it. */
export async function statusesOf(id: string, { decisions, rows, portfolios }: Context) {
  const limit = await decisions.find(id);
  if (!limit) throw new Error(`nobody made ${id}`);
  const found = await rows.read(await decisions.rowsOf(limit, () => portfolios.names()));
  return { call: limit.record.status, rows: found.map((row) => row?.record.status) };
}

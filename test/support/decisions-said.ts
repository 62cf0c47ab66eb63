import type { Context } from '../../src/context.ts';
import type { LimitDecision } from '../../src/portfolio/results/decisions-file.ts';

/** A moment that is later than all answers. */
export const soon = (minutes: number) => new Date(Date.UTC(2100, 0, 1, 0, minutes)).toISOString();

/** A file of decisions, `[id, status, minute]` each; a minute of undefined says no time. */
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

/** What a limit's call says, and each of its rows that is there. */
export async function statusesOf(id: string, { decisions, rows, portfolios }: Context) {
  const limit = await decisions.find(id);
  if (!limit) throw new Error(`nobody made ${id}`);
  const found = await rows.read(await decisions.rowsOf(limit, () => portfolios.names()));
  return { call: limit.record.status, rows: found.map((row) => row?.record.status) };
}

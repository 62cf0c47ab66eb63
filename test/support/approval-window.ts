import { expect } from 'vitest';
import { carryOutAnswered } from '../../jobs/approvals/answer-approval.ts';
import type { RowState } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { holdCompany, refuseCompany } from './approved-portfolio.ts';
import { openWorkplace } from './workplace.ts';

export const DAY_MS = 86_400_000;
export const ABOVE = { APPROVE_ABOVE: '150000' };

/** The part of a waiting row. */
export const WAITS = { standing: 'waiting', rows: 1 };

/** Imports files of one line, each into its own portfolio: one request of a buyer. */
export async function openWindow(env: Record<string, string> = ABOVE) {
  const place = await openWorkplace({ env });
  const { context } = place;
  const { rows, ledger, keys, calls } = context;
  let files = 0;
  const row = async (portfolio: string): Promise<RowId> => {
    for (const state of ['queued', 'awaiting', 'refused', 'held', 'cancelled'] as RowState[]) {
      const [found] = await rows.inState(portfolio, state, { count: 1 });
      if (found) return found.row;
    }
    throw new Error(`no row in ${portfolio}`);
  };
  return {
    ...place,
    row,
    /** Returns what waits for approval; undefined if the import needed none. */
    async ask(portfolio: string, amount: string, { buyer = 'Acme', by = 'alice' } = {}) {
      files += 1;
      const lines = ['name,country_code,requested_limit,request_reference', `${buyer},DE,${amount},R${files}`];
      return (await place.import(lines, { portfolio, by })).approval;
    },
    stateOf: async (portfolio: string) => (await rows.read([await row(portfolio)]))[0]?.state,
    refuse: async (portfolio: string) => refuseCompany(context, await row(portfolio)),
    hold: async (portfolio: string) => holdCompany(context, await row(portfolio)),
    /** Makes the limit of a request, so many days ago. */
    async make(portfolio: string, daysAgo = 0): Promise<RowId> {
      const its = await row(portfolio);
      await rows.begin(its, 'company');
      await rows.advance(its, 'company', 'limit', { company: 'company_1' });
      const call = { kind: 'limit', key: its.key, row: its } as const;
      expect(await calls.claim(call, { owner: 'w1/1', onUnknown: 'hold' })).toMatchObject({ is: 'go' });
      await calls.settle({ ...call, buyer: 'b' } as never, 'w1/1', { id: `bl_${its.key}`, record: {} } as never);
      await rows.advance(its, 'limit', 'done', { limit: `bl_${its.key}`, record: {} });
      const at = Date.now() - daysAgo * DAY_MS;
      await ledger.hset(keys.row(portfolio, its.key), 'updated', at);
      await ledger.hset(keys.call('limit', its.key), 'at', `${at}+5`);
      return its;
    },
    async answer(is: 'grant' | 'decline', by = 'bob') {
      for (const { id, digest } of await context.approvals.waiting()) {
        await context.approvals[is]({ id, digest, by, words: is });
        const approval = await context.approvals.read(id);
        if (approval) await carryOutAnswered(approval, context);
      }
    },
  };
}

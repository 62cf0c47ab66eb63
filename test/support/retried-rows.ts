import { retryByRules } from '../../jobs/nightly/retry-by-rules.ts';
import { causeOf } from '../../src/ledger/counts/cause.ts';
import type { RetryRule } from '../../src/ledger/nightly/retry-rule.ts';
import type { RuleNight } from '../../src/ledger/nightly/retry-rules.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { buyerLines, openWorkplace } from './workplace.ts';

export const NIGHT_MS = Date.parse('2026-11-22T03:00:00Z');
export const DAY_MS = 86_400_000;

/** A night as the schedule runs it. */
export const nightAt = (atMs: number, signal = new AbortController().signal) => {
  return { id: new Date(atMs).toISOString(), atMs, by: 'nightly', from: 'test', signal };
};

/** Rows that a test refuses itself, without workers, and nights that send them again. */
export async function openRefused(count: number, settings: Record<string, string> = {}) {
  const place = await openWorkplace({ env: settings });
  const { context } = place;
  const { rows, portfolios, retryRules } = context;
  await place.import(buyerLines(count), { by: 'ida' });
  const all = async (state: 'queued' | 'refused' | 'awaiting' | 'cancelled') =>
    (await rows.inState('q4', state, { count })).map(({ row }) => row);

  return {
    ...place,
    all,
    /** The service refuses the companies of all queued rows with this status and these words. */
    async refuseAll(status = 422, body = 'closed for the night'): Promise<RowId[]> {
      const waiting = await all('queued');
      for (const row of waiting) {
        const found = await rows.begin(row, 'company');
        if (!found) continue;
        const message = `The service refused the company with status ${status}`;
        const problem = { step: 'company' as const, message, status, body };
        await rows.advance(row, 'company', 'refused', { problem, cause: causeOf(problem, 'refused', found.request) });
      }
      return waiting;
    },
    rule: (rule: Partial<RetryRule> = {}): Promise<RetryRule> =>
      retryRules.add({ status: 422, nights: 3, by: 'olivia', ...rule }),
    /** The last night of the rule. */
    async last(id: string): Promise<RuleNight | undefined> {
      return (await retryRules.known()).find(({ rule }) => rule.id === id)?.last;
    },
    /** Runs the night of a day like the schedule, with replaced dependencies if given. */
    night(day: number, deps: Partial<typeof context> = {}, signal = new AbortController().signal) {
      return retryByRules(nightAt(NIGHT_MS + day * DAY_MS, signal), { ...context, ...deps });
    },
    states: async () => (await portfolios.read('q4')).states,
    nightsOf: async (row: RowId) => (await rows.read([row]))[0]?.atNight?.nights,
  };
}

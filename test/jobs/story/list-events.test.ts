import { expect, test } from 'vitest';
import { type ListDeps, listEvents } from '../../../jobs/story/list-events.ts';
import type { LookedInto } from '../../../src/ledger/events/event-rows.ts';
import type { KeptEvent } from '../../../src/ledger/events/kept-event.ts';

/** Ten events with so many ids each, in an account with a thousand portfolios. */
function openList(ids: number) {
  const looked: LookedInto[] = [];
  const event = (at: number) => ({ id: String(at), ids: Array.from({ length: ids }, (_none, of) => `id-${at}-${of}`) });
  const page = Array.from({ length: 10 }, (_none, at) => event(at) as KeptEvent);
  const events: ListDeps['events'] = {
    limits: { mostBytes: 1, keepMs: 1 },
    portfolioCount: async () => 1_000,
    totals: async () => ({ events: 10, bytes: 1, full: 0, fullMs: undefined }),
    async *walk() {
      yield page;
    },
    async rowsOf(of, into = {}) {
      looked.push(into);
      return of.map(() => ({ rows: [], moreRows: false }));
    },
  };
  return {
    looked,
    list: (latest?: number) => listEvents({ count: 10, latest }, { events, archives: { list: async () => [] } }),
  };
}

test.each([
  [7, 300, 300, 700],
  [64, 300, 46, 954],
  [0, 300, 300, 700],
  [64, undefined, undefined, 0],
])(
  'for events of %i ids each, rows are searched in at most %s portfolios, and the rest is counted',
  async (ids, latest, within, unlooked) => {
    const { looked, list } = openList(ids);
    expect(await list(latest)).toMatchObject({ unlooked });
    expect(looked).toEqual([{ portfolio: undefined, latest: within }]);
  },
);

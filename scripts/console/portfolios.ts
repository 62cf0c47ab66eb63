import type { PortfoliosPageFunctions } from '../../src/console/pages/portfolios/add-portfolios-page.ts';
import type { Context } from '../../src/context.ts';
import { makePortfolioList } from '../../src/ledger/portfolio-list.ts';
import { countLiving } from '../../src/ledger/presence.ts';
import { lookAtPace } from '../../src/open-service.ts';

/** What the list of portfolios is handed. */
export function portfoliosPageFunctions(context: Context): PortfoliosPageFunctions {
  const { ledger, keys, portfolios, queues, archives } = context;
  const list = makePortfolioList({ connection: ledger, keys });
  return {
    page: async (wish) => {
      const [page, total, archived, pace, workers, pausedQueues] = await Promise.all([
        list.page(wish),
        list.count(),
        archives.count(),
        lookAtPace(context),
        countLiving({ connection: ledger, keys }),
        queues.paused(),
      ]);
      const states = await Promise.all(page.names.map((name) => portfolios.read(name)));
      const next = page.next === undefined ? {} : { next: page.next };
      return { portfolios: states, ...next, total, archived, pace, workers, pausedQueues, nowMs: Date.now() };
    },
  };
}

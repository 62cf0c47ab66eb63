import { makePortfolioList } from '../../src/ledger/portfolios/portfolio-list.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { FAULT_KINDS, type Keys } from '../../src/ledger/schema/keys.ts';
import type { FoundLines } from '../../src/ledger/story/buyer-story.ts';
import type { RedisConnection } from '../../src/lua-script.ts';

/** How many portfolios are searched, the newest, and how many lines of each are shown. */
const NEWEST = 40;
const SHOWN = 5;

/** The most lines without a row in a portfolio that is searched: with more, all portfolios together would take too long. */
const MOST_READ = 500;

/** Finds lines that led to no row, and so to no buyer, by words of their name, in the newest portfolios. */
export async function findLines(
  text: string,
  { ledger, keys, portfolios }: { ledger: RedisConnection; keys: Keys; portfolios: Pick<Portfolios, 'faultyPage'> },
): Promise<FoundLines> {
  const { names } = await makePortfolioList({ connection: ledger, keys }).page({ count: NEWEST });
  const pages = await Promise.all(
    names.map(async (portfolio) => {
      const page = await portfolios.faultyPage(portfolio, { kinds: FAULT_KINDS, text, count: SHOWN, most: MOST_READ });
      return { portfolio, ...page };
    }),
  );
  return {
    lines: pages.flatMap(({ portfolio, found }) => found.map((line) => ({ ...line, portfolio }))),
    unread: pages.flatMap(({ portfolio, unlisted }) => (unlisted > 0 ? [portfolio] : [])),
  };
}

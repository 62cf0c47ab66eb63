import type { Calls } from '../../src/ledger/calls/calls.ts';
import type { Thing } from '../../src/ledger/calls/claim-answers.ts';
import type { HeldRow, Stories } from '../../src/ledger/rows/story.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { FeedDeps } from '../rows/feed.ts';
import { isInDoubt } from '../rows/in-doubt.ts';
import { sendAgain } from './send-again.ts';

export type FreeDeps = FeedDeps & { calls: Calls; stories: Pick<Stories, 'held'> };

/** A call of which it has become known what became of it, and the buyer for whom it was. */
export type KnownLate = Pick<Thing, 'kind' | 'key'> & { buyer: string };

/** Held rows that are read at a time. */
const PAGE = 500;

/**
 * Puts held rows of all portfolios back to their step where the outcome of each of its calls is known by now, from a person or a late
 * answer. No person sent these rows again, so a row of a portfolio that was given up stays given up, and a row whose call was refused ends
 * as refused. Answers which went.
 *
 * @param known the call whose answer came: then only rows are looked at that may wait for it. A company, or a limit, is that of one
 *   buyer; any row may have attached a document
 */
export async function freeHeld(deps: FreeDeps, known?: KnownLate): Promise<RowId[]> {
  const ofOneBuyer = known !== undefined && known.kind !== 'document';
  const freed: RowId[] = [];
  for await (const page of ofOneBuyer ? deps.rows.allOf(known.buyer) : heldPages(deps)) {
    const results = await deps.rows.read(page);
    const went = await Promise.all(
      page.map(async (row, place) => {
        const result = results[place];
        if (result?.state !== 'held' || (await isInDoubt({ row, result }, deps.calls))) return false;
        return sendAgain(row, 'held', deps, false);
      }),
    );
    freed.push(...page.filter((_row, place) => went[place]));
  }
  return freed;
}

/**
 * The same for late answers, of which many may come at a time: where all held rows have to be looked at, that is done once for all
 * answers that came meanwhile.
 */
export function makeFreeing(deps: FreeDeps): (known: KnownLate) => Promise<unknown> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<unknown> | undefined;
  return (known) => {
    if (known.kind !== 'document') return freeHeld(deps, known);
    next ??= underWay
      .catch(() => {})
      .then(() => {
        next = undefined;
        underWay = freeHeld(deps);
        return underWay;
      });
    return next;
  };
}

/** All held rows of the account, page by page. */
export async function* heldPages({ stories }: Pick<FreeDeps, 'stories'>): AsyncGenerator<RowId[]> {
  let after: HeldRow | undefined;
  do {
    const page = await stories.held({ after, count: PAGE });
    yield page.map(({ row }) => row);
    after = page.length < PAGE ? undefined : page.at(-1);
  } while (after);
}

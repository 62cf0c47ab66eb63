import type { Calls } from '../../src/ledger/calls/calls.ts';
import type { Thing } from '../../src/ledger/calls/claim-answers.ts';
import { GIVEN_UP, isPending, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { HeldRow, Stories } from '../../src/ledger/rows/story.ts';
import type { SupplierInDoubt } from '../../src/ledger/schema/approval.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { type FeedDeps, supplierJob } from '../rows/feed.ts';
import { isInDoubt } from '../rows/walk-rows.ts';

export type FreeDeps = FeedDeps & { calls: Calls; stories: Pick<Stories, 'held'> };

/** A call whose outcome became known, and its buyer. */
type KnownLate = Pick<Thing, 'kind' | 'key'> & { buyer: string };

/** Held rows read at a time. */
const PAGE = 500;

/**
 * Sends held rows of all portfolios back to their step if no call of theirs is in doubt any more. No person asked for these rows: in a
 * cancelled portfolio they are cancelled, and a row whose call was refused ends as refused. Answers the rows sent back.
 *
 * @param known the call that was answered: only rows that may wait for it are checked. A company or limit belongs to one buyer;
 *   a document may belong to any row
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
 * Frees rows after late answers, of which many may come at once. For documents, all held rows are checked, once for all answers
 * that came meanwhile.
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

export async function* heldPages({ stories }: Pick<FreeDeps, 'stories'>): AsyncGenerator<RowId[]> {
  let after: HeldRow | undefined;
  do {
    const page = await stories.held({ after, count: PAGE });
    yield page.map(({ row }) => row);
    after = page.length < PAGE ? undefined : page.at(-1);
  } while (after);
}

/**
 * Queues a row again at its step. Answers false if the row has left this state meanwhile.
 *
 * @param isMeant whether a person chose this very row: then it is sent even if its portfolio was cancelled
 * @param by who asked for it, unless the row's story names them already
 */
export async function sendAgain(
  row: RowId,
  state: 'refused' | 'cancelled' | 'held',
  deps: FeedDeps,
  isMeant = true,
  by: string | undefined = undefined,
): Promise<boolean> {
  // The ended job goes first: BullMQ ignores a new job with a known id.
  await deps.queues.forget([row]);
  return deps.rows.requeue(row, state, isMeant, { by });
}

type OfSupplier = Pick<PortfolioState, 'supplier'>;
type InDoubtDeps = { calls: Pick<Calls, 'isUnknown'> };

/** Whether the call that creates the supplier is in doubt. A supplier has no row that could be held. */
export async function isSupplierInDoubt({ supplier }: OfSupplier, { calls }: InDoubtDeps): Promise<boolean> {
  if (!supplier?.key || supplier.id) return false;
  return calls.isUnknown({ kind: 'company', key: supplier.key });
}

/** The portfolio's state as people see it: a pending supplier whose call is in doubt gets a problem that says so. */
export async function withDoubt<S extends OfSupplier>(state: S, deps: InDoubtDeps): Promise<S> {
  const { supplier } = state;
  if (!supplier || !isPending(supplier) || !(await isSupplierInDoubt(state, deps))) return state;
  return { ...state, supplier: { ...supplier, problem: 'it was sent, and nobody knows whether it was made' } };
}

/**
 * Sends a supplier in doubt again. Does nothing if the portfolio has another supplier by now or was cancelled later, if the call was sent
 * and lost again later, or if somebody declined to send the supplier again and `approval` does not grant it. May be repeated after a crash.
 */
export async function resendSupplier(
  portfolio: string,
  { key, atMs, approval }: SupplierInDoubt & { approval?: string },
  { portfolios, calls, queues }: FreeDeps,
) {
  const { supplier, givenUp } = await portfolios.read(portfolio);
  if (!supplier || supplier.key !== key || supplier.id || (givenUp && givenUp.atMs > atMs)) return;
  const call = { kind: 'company', key } as const;
  const answer = await calls.resolve([call], key, undefined, { asOfMs: atMs, approval });
  if (answer !== 'resolved' && (isPending(supplier) || !(await calls.isLetGo(call)))) return;
  await queues.forget([supplierJob(portfolio).data]);
  await portfolios.reviveSupplier(portfolio, supplier);
}

/** Revives a supplier that was cancelled with its portfolio, before the portfolio's cancelled rows are sent again. */
export async function reviveGivenUpSupplier(portfolio: string, { portfolios, queues }: FeedDeps): Promise<void> {
  const { supplier } = await portfolios.read(portfolio);
  if (supplier?.problem !== GIVEN_UP) return;
  await queues.forget([supplierJob(portfolio).data]);
  await portfolios.reviveSupplier(portfolio, supplier);
}

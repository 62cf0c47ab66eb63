import { approversOf } from '../../jobs/approvals/answer-approval.ts';
import { makeApprovalCurrency } from '../../jobs/approvals/approval-currency.ts';
import { withDoubt } from '../../jobs/operators/supplier-again.ts';
import { feed } from '../../jobs/rows/feed.ts';
import { CAUSES_SHOWN } from '../../src/console/pages/portfolio/figures-view.ts';
import type { PortfolioLook } from '../../src/console/pages/portfolio/portfolio-look.ts';
import type { PortfolioPageFunctions } from '../../src/console/pages/portfolio/portfolio-routes.ts';
import type { Context } from '../../src/context.ts';
import { countLiving } from '../../src/ledger/calls/fleet.ts';
import { readCauseSamples } from '../../src/ledger/counts/cause.ts';
import { callsSent, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { type Approval, standingNoes } from '../../src/ledger/schema/approval.ts';
import { pausedBy } from '../../src/ledger/schema/pause-reasons.ts';
import { sharedFor } from '../../src/once-at-a-time.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { makeOwnPace } from '../../src/pace/pace-words.ts';
import { makeSampleReader } from '../../src/pace/samples.ts';
import type { WhoMayReader } from './people/who-may.ts';

export type WorkFactsReader = ReturnType<typeof makeWorkFactsReader>;

/** Reads what the time left of a portfolio is computed from; one for all pages, so that they say the same. */
export function makeWorkFactsReader(context: Context) {
  const ownPace = makeOwnPace();
  const readSamples = makeSampleReader(context.paceSamples);
  return async (state: PortfolioState) => {
    const [causes, pace, samples] = await Promise.all([
      context.portfolios.causes(state.name),
      lookAtPace(context),
      readSamples(),
    ]);
    const nowMs = Date.now();
    const ownPerS = ownPace.note(state.name, callsSent(state), nowMs, state.startedMs);
    return { causes, pace, samples, ownPerS, nowMs };
  };
}

export function portfolioPageFunctions(
  context: Context,
  { workFactsOf, whoMay }: { workFactsOf: WorkFactsReader; whoMay: WhoMayReader },
): PortfolioPageFunctions {
  const { portfolios, archives } = context;
  const approvalsOf = makeApprovalsReader(context);
  const sessionsOf = sharedFor(SESSIONS_FRESH_MS, context.calls.sessions.failed);

  const look = async (name: string): Promise<PortfolioLook | undefined> => {
    const { ledger: connection, keys } = context;
    const [archived, state, meanings, imports, workers, pausedQueues] = await Promise.all([
      archives.read(name),
      portfolios.read(name),
      context.statusMeanings.read(),
      portfolios.allImports(name),
      countLiving({ connection, keys }),
      context.queues.paused(),
    ]);
    if (archived || state.startedMs === undefined) return undefined;
    const { causes, ...workFacts } = await workFactsOf(state);
    const shown = causes.slice(0, CAUSES_SHOWN).map(({ id }) => id);
    const causeSamples = await readCauseSamples(name, shown, { connection, keys });
    return {
      ...workFacts,
      state: await withDoubt(state, context),
      meanings,
      imports,
      causes: causes.map((cause, place) => ({ ...cause, sample: causeSamples[place] })),
      twice: await readTwice(state, context),
      who: await whoMay(state),
      ...(await approvalsOf(state)),
      sessions: await sessionsOf(name),
      workers,
      pausedQueues,
    };
  };

  return {
    archived: archives.read,
    look,
    rows: context.rows.page,
    faultyLines: portfolios.faultyPage,
    pause: (name, by) => portfolios.pause(name, pausedBy(by, Date.now())),
    pauseKind: async (name) => (await portfolios.read(name)).pauseKind,
    resume: async (name, paused) => {
      if (!(await portfolios.resumeAsPaused(name, paused))) return false;
      await feed(context);
      return true;
    },
  };
}

/** How long failed hosted sessions are cached: each read looks at all limits of the account that have one. */
const SESSIONS_FRESH_MS = 5_000;

/** How long approvers are cached: users change rarely, and a page is refreshed twice a second. */
const APPROVERS_FRESH_MS = 10_000;

/** Makes a reader of a portfolio's waiting approvals with their approvers, and of its declined ones whose rows nobody asked for again. */
function makeApprovalsReader({ approvals, people, portfolios }: Pick<Context, 'approvals' | 'people' | 'portfolios'>) {
  const known = new Map<string, { approvers: readonly string[]; atMs: number }>();
  const approversKnown = async (approval: Approval) => {
    const before = known.get(approval.id);
    if (before && performance.now() - before.atMs < APPROVERS_FRESH_MS) return before.approvers;
    const approvers = await approversOf(approval, people.users);
    if (known.size > MOST_KNOWN) known.clear();
    known.set(approval.id, { approvers, atMs: performance.now() });
    return approvers;
  };
  return async ({ name, states }: PortfolioState): Promise<Pick<PortfolioLook, 'waiting' | 'declined'>> => {
    // Rows that somebody declined are cancelled.
    if (states.cancelled === 0 && (await approvals.waitingCount()) === 0) return { waiting: [], declined: [] };
    const all = await approvals.of(name, MOST_WAITING);
    const currencyOf = makeApprovalCurrency({ portfolios });
    const priced = async (approval: Approval) => ({ ...approval, currency: await currencyOf(approval) });
    const waiting = all
      .filter(({ standing }) => standing === 'waiting')
      .map(async (approval) => ({ approval: await priced(approval), approvers: await approversKnown(approval) }));
    const noes = states.cancelled === 0 ? [] : standingNoes(all).filter(({ kind }) => kind === 'import');
    return { waiting: await Promise.all(waiting), declined: await Promise.all(noes.map(priced)) };
  };
}

/** How many of a portfolio's latest approvals its page shows; the page Approvals has the others. */
const MOST_WAITING = 10;
const MOST_KNOWN = 1_000;

/**
 * The things that were made twice for a portfolio. They are rare, and stored in one place for the account, so they are read only if the
 * portfolio has any.
 */
async function readTwice({ name, madeTwice }: PortfolioState, { calls }: Context): Promise<PortfolioLook['twice']> {
  if (madeTwice === 0) return [];
  return (await calls.madeTwice()).filter(({ row }) => row.startsWith(`${name}/`));
}

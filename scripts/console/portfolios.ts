import { join } from 'node:path';
import { approversOf, whyNot } from '../../jobs/approvals/answer-approval.ts';
import { makeApprovalCurrency } from '../../jobs/approvals/look-at-approval.ts';
import { makeDraftStore } from '../../jobs/drafts/draft-store.ts';
import { withDoubt } from '../../jobs/operators/free-held.ts';
import { feed } from '../../jobs/rows/feed.ts';
import { makeNewsLately } from '../../jobs/story/buyer-story.ts';
import { makeHeldDesk } from '../../jobs/story/held-desk.ts';
import { CAUSES_SHOWN } from '../../src/console/pages/portfolio/figures-view.ts';
import type { PortfolioLook } from '../../src/console/pages/portfolio/portfolio-look.ts';
import type { PortfolioPageFunctions } from '../../src/console/pages/portfolio/portfolio-routes.ts';
import { FIX_DAYS } from '../../src/console/pages/portfolios/needs-you.ts';
import type { PortfoliosPageFunctions } from '../../src/console/pages/portfolios/portfolios-routes.ts';
import type { Context } from '../../src/context.ts';
import { makeExactSum } from '../../src/exact-sum.ts';
import { countLiving } from '../../src/ledger/calls/fleet.ts';
import { readCauseSamples } from '../../src/ledger/counts/cause.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { makePortfolioList } from '../../src/ledger/portfolios/portfolio-list.ts';
import { isPaused, openRows } from '../../src/ledger/portfolios/summary.ts';
import { NEWS_MS } from '../../src/ledger/rows/answered-lately.ts';
import { type Approval, standingNoes } from '../../src/ledger/schema/approval.ts';
import { pausedBy } from '../../src/ledger/schema/pause-reasons.ts';
import { sharedFor } from '../../src/once-at-a-time.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { DAY_MS } from '../../src/time-units.ts';
import type { WorkFactsReader } from '../progress/work-facts.ts';
import type { RoleReader, WhoMayReader } from './people/who-may.ts';

/** How long the names of unfinished portfolios are kept: with 10,000 portfolios they take some forty milliseconds. */
const NAMES_FRESH_MS = 10_000;

/** The most portfolios at work that the first page shows. */
const MOST_RUNNING = 5;

/** The most unfinished portfolios that are read in addition to the newest portfolios, the latest first. */
const MOST_FURTHER = 10;

/** How many of the latest answers to approvals the first page reads, to show those of the last day that declined. */
const MOST_REFUSED = 10;

/** How many of the portfolios that were archived last the first page reads, to tell of those that were begun this month. */
const MOST_ARCHIVED = 50;

export function portfoliosPageFunctions(
  context: Context,
  { workFactsOf, namesOf, whoMay }: { workFactsOf: WorkFactsReader; namesOf: RoleReader; whoMay: WhoMayReader },
): PortfoliosPageFunctions {
  const { ledger, keys, portfolios, queues, archives, statusMeanings, approvals, settings } = context;
  const desk = makeHeldDesk(context);
  const list = makePortfolioList({ connection: ledger, keys });
  const openNames = sharedFor(NAMES_FRESH_MS, () => portfolios.openNames());
  const rejectedSince = makeRejectedSince(context);
  const uploads = makeDraftStore({ dir: join(settings.LIMITLINE_DATA, 'drafts') });
  return {
    ...makeNewsLately(context),
    meanings: statusMeanings.read,
    page: async (query) => {
      const [page, total, archived, archivedLately, pace, workers, pausedQueues, meanings] = await Promise.all([
        list.page(query),
        list.count(),
        archives.count(),
        archives.page(0, MOST_ARCHIVED),
        lookAtPace(context),
        countLiving({ connection: ledger, keys }),
        queues.paused(),
        statusMeanings.read(),
      ]);
      const states = await Promise.all(page.names.map((name) => portfolios.read(name)));
      const next = page.next === undefined ? {} : { next: page.next };
      const counts = { total, archived, archivedLately };
      return { portfolios: states, ...next, ...counts, pace, workers, pausedQueues, meanings, nowMs: Date.now() };
    },
    async running(listed) {
      const known = new Set(listed.map(({ name }) => name));
      const further = (await openNames()).filter((name) => !known.has(name)).reverse();
      const read = further.slice(0, MOST_FURTHER).map((name) => portfolios.read(name));
      const states = [...listed, ...(await Promise.all(read))];
      const atWork = states.filter((state) => state.importing || openRows(state) > 0);
      const shown = await Promise.all(
        atWork.slice(0, MOST_RUNNING).map(async (state) => {
          const [workFacts, who] = await Promise.all([
            workFactsOf(state),
            state.paused === undefined ? undefined : whoMay(state),
          ]);
          return { ...workFacts, state, resume: who?.resume ?? [] };
        }),
      );
      const paused = states.filter(isPaused);
      const rejectedMs = new Map((await Promise.all(listed.map(rejectedSince))).flatMap((one) => (one ? [one] : [])));
      return { shown, paused, rejectedMs, others: atWork.length - shown.length, isAll: read.length === further.length };
    },
    uploads: async () => {
      const drafts = await uploads.list();
      return drafts.filter(({ submitted }) => !submitted?.ended || submitted.ended.faults.length > 0).length;
    },
    mayAnswer: (approval, person) => whyNot(approval, person) === undefined,
    async needs() {
      const [held, waiting, answered] = await Promise.all([
        desk.ofAccount(),
        approvals.waiting(),
        approvals.lately(MOST_REFUSED),
      ]);
      const currencyOf = makeApprovalCurrency(context);
      const open = waiting.map(async (one) => ({ ...one, amount: one.sum, currency: await currencyOf(one) }));
      const sinceMs = Date.now() - NEWS_MS;
      const refused = standingNoes([...answered, ...waiting])
        .filter((one) => (one.answered?.atMs ?? 0) >= sinceMs)
        .map(async (one) => ({ ...one, amount: one.sum, currency: await currencyOf(one) }));
      return {
        refusedByPeople: await Promise.all(refused),
        held: { ...held, answers: held.total > 0 ? await namesOf('operator') : [] },
        approvals: await Promise.all(open),
      };
    },
  };
}

/**
 * Makes a function that answers a portfolio's name and the time since which it has refused rows. The answer is undefined if it has none, or
 * if it finished more than {@link FIX_DAYS} days ago, when people are no longer asked to act.
 */
function makeRejectedSince({ rows }: Pick<Context, 'rows'>) {
  // A portfolio's rows are read again only after one of them ended, because that takes some milliseconds.
  const known = new Map<string, { of: string; one: [name: string, sinceMs: number] | undefined }>();
  return async ({ name, states, startedMs, finishedMs }: PortfolioState) => {
    const isOld = (finishedMs ?? Number.POSITIVE_INFINITY) < Date.now() - FIX_DAYS * DAY_MS;
    if (states.refused === 0 || isOld) return void known.delete(name);
    const of = [startedMs, finishedMs, states.done, states.refused, states.held].join();
    const had = known.get(name);
    if (had?.of === of) return had.one;
    // Rows cannot be found while the search is turned off or the portfolio is being archived.
    const page = await rows.page(name, { states: ['refused'] }, { count: 1, order: 'changed' }).catch(() => undefined);
    const sinceMs = page?.found[0]?.result.updatedMs;
    const one: [name: string, sinceMs: number] | undefined = sinceMs === undefined ? undefined : [name, sinceMs];
    known.set(name, { of, one });
    return one;
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
      leftOut: await readLeftOut(name, imports, context),
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

/** Of an import that kept the requests of its lines left out, those count that no row of the portfolio asks for now. */
async function readLeftOut(
  portfolio: string,
  imports: readonly KnownImport[],
  { rows }: Pick<Context, 'rows'>,
): Promise<PortfolioLook['leftOut']> {
  const read = imports.map(async ({ made = {} }) => {
    if (made.out === undefined) return made;
    const known = made.out.filter(({ key }) => key !== '');
    const found = await rows.read(known.map(({ key }) => ({ portfolio, key })));
    const there = new Set(known.filter((_one, at) => found[at]?.replaced === false));
    const out = made.out.filter((one) => !there.has(one));
    const amounts = out.flatMap(({ amount }) => amount ?? []);
    const sum = makeExactSum();
    for (const amount of amounts) sum.add(amount);
    return { leftOut: out.length, outSum: { amount: sum.total(), bare: out.length - amounts.length } };
  });
  return Promise.all(read);
}

/**
 * The things that were made twice for a portfolio. They are rare, and stored in one place for the account, so they are read only if the
 * portfolio has any.
 */
async function readTwice({ name, madeTwice }: PortfolioState, { calls }: Context): Promise<PortfolioLook['twice']> {
  if (madeTwice === 0) return [];
  return (await calls.madeTwice()).filter(({ row }) => row.startsWith(`${name}/`));
}

import { isPending, type PortfolioState, type Portfolios } from '../src/ledger/portfolios.ts';
import type { RowState, Rows } from '../src/ledger/rows.ts';
import type { NewJob, Queues } from '../src/queue/queues.ts';
import { STEP_JOBS, supplierJob } from './step.ts';

/** What it takes to turn rows into jobs. */
export type FeedDeps = { rows: Rows; portfolios: Portfolios; queues: Queues };

/**
 * The queues hold what the present pace sends in so many seconds. That lasts until the next look, which comes within
 * one, or at once where a queue has run empty; and no portfolio waits long behind it.
 */
const AHEAD_S = 1;
/** Where little is known of the pace: some for each call that a worker process may have in flight. */
const LEAST_DEEP = 100;
/** Enough for every worker of a fleet to be busy until the next look, little enough to be nothing for Redis. */
const MOST_DEEP = 4_000;
/** Rows read at a time. */
const PAGE = 1_000;

/** How many jobs the queues are to hold at this flow of calls. */
export function depthFor(flowPerS: number): number {
  return Math.min(Math.max(Math.ceil(AHEAD_S * flowPerS), LEAST_DEEP), MOST_DEEP);
}

/**
 * Gives jobs to rows that wait for their first step or to be sent again, until the queues hold some seconds of the flow:
 * the one way by which the ledger's rows become jobs, so that Redis holds thousands of them at the most, however long
 * the portfolios are. Portfolios have equal shares of the queues, and their rows are added in turns. One that has no job
 * waiting, since it comes new, gets its share at once and before what waits, however deep the queues are; what a small
 * one leaves of its share goes to the others. Feeding twice is harmless: a row that has a job is passed over.
 *
 * @param flowPerS calls a second that were accepted lately; 0 where that is not known
 */
export async function feed({ rows, portfolios, queues }: FeedDeps, flowPerS = 0): Promise<number> {
  const open = await portfolios.open();
  await queues.add(open.filter(supplierComesFirst).map(({ name }) => supplierJob(name)));
  const names = open.filter((state) => mayGoOn(state) && state.states.queued > 0).map(({ name }) => name);
  if (names.length === 0) return 0;

  const waiting = await queues.waiting();
  let depth = [...waiting.values()].reduce((sum, { size }) => sum + size, 0);
  let fed = 0;
  /** Answers those that may have more rows. */
  const deal = async (eaters: Eater[], wanted: (eater: Eater) => number, where?: 'before'): Promise<Eater[]> => {
    const lots = await Promise.all(eaters.map((eater) => eater.next(wanted(eater))));
    const jobs = inTurns(lots);
    await queues.add(jobs, where);
    depth += jobs.length;
    fed += jobs.length;
    return eaters.filter((eater, place) => lots[place]?.length === wanted(eater));
  };

  const most = depthFor(flowPerS);
  const share = Math.ceil(most / names.length);
  const eaters = names.map((name) => makeEater(name, waiting.get(name) ?? new Set(), rows));
  const [known, fresh] = [eaters.filter(({ had }) => had > 0), eaters.filter(({ had }) => had === 0)];
  // Half a share may be used up before it is filled: a row that has a job is read again each time.
  const hungry = await deal(known, ({ had }) => (had > share / 2 ? 0 : share - had));
  hungry.push(...(await deal(fresh, () => share, depth > 0 ? 'before' : undefined)));
  for (let more = hungry; more.length > 0 && depth <= most / 2; ) {
    const each = Math.ceil((most - depth) / more.length);
    more = await deal(more, () => each);
  }
  return fed;
}

/** Rows of one state with the jobs that their steps want. */
export async function jobsOf(
  { portfolio, state }: { portfolio: string; state: RowState },
  { from, count }: { from: number; count: number },
  rows: Rows,
): Promise<NewJob[]> {
  const found = await rows.inState(portfolio, state, { from, count });
  return found.map(({ row, step }) => ({ ...STEP_JOBS[step], data: row }));
}

/** Whether rows of a portfolio may have jobs now. */
export function mayGoOn(state: PortfolioState): boolean {
  return state.paused === undefined && !supplierComesFirst(state);
}

function supplierComesFirst({ paused, supplier }: PortfolioState): boolean {
  return paused === undefined && supplier !== undefined && isPending(supplier);
}

/** A portfolio at the table: the jobs that it `had` before, and its next rows that have none, in the order of lines. */
type Eater = { had: number; next: (count: number) => Promise<NewJob[]> };

function makeEater(portfolio: string, keysWithJob: ReadonlySet<string>, rows: Rows): Eater {
  const found: NewJob[] = [];
  let from = 0;
  return {
    had: keysWithJob.size,
    async next(count) {
      for (let more = true; more && found.length < count; ) {
        // The rows that have jobs are the first ones, as a rule.
        const wanted = Math.min(from === 0 ? keysWithJob.size + count : count, PAGE);
        const page = await jobsOf({ portfolio, state: 'queued' }, { from, count: wanted }, rows);
        found.push(...page.filter(({ data }) => !keysWithJob.has(data.key)));
        from += wanted;
        more = page.length === wanted;
      }
      return found.splice(0, count);
    },
  };
}

/** One of each, then the next of each, and so on. */
function inTurns(lots: readonly NewJob[][]): NewJob[] {
  const longest = Math.max(0, ...lots.map((lot) => lot.length));
  return Array.from({ length: longest }, (_, place) => lots.flatMap((lot) => lot.slice(place, place + 1))).flat();
}

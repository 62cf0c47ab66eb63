import { type CallKind, KINDS } from '../../src/call-kind.ts';
import { isPending, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { RowState } from '../../src/ledger/schema/row.ts';
import { type NewJob, QUEUES, type QueueName, type Queues } from '../../src/queue/queues.ts';
import { isRefusedAsFull } from '../../src/redis-memory/memory.ts';
import { STEP_JOBS, supplierJob } from './step-jobs.ts';

/** What is needed to turn rows into jobs. */
export type FeedDeps = { rows: Rows; portfolios: Portfolios; queues: Queues };

/**
 * The queues hold what the current pace sends in this many seconds. That lasts until the next check, which comes within one second, or at
 * once when a queue is empty; and no portfolio waits long.
 */
const AHEAD_S = 1;
/** The depth while little is known of the pace: a few jobs for each call that a worker process may have in flight. */
const LEAST_DEEP = 100;
/** Enough to keep all workers of a fleet busy until the next check, and little memory for Redis. */
const MOST_DEEP = 4_000;
/**
 * As many more may stand at shut doors, where they hold up nobody else: still thousands. A portfolio that has its share of
 * them there gets no further jobs, since its rows would only go and stand behind.
 */
export const MOST_AT_DOORS = 4_000;
/** Rows read at a time. */
const PAGE = 1_000;

/** What feeding must know of the pace: the calls a second that were accepted lately, and which calls do not leave. */
type PaceSeen = { flowPerS: number; shut?: readonly { kind: CallKind }[]; paused?: readonly string[] };

const UNKNOWN_PACE: PaceSeen = { flowPerS: 0 };

/** The queues whose calls leave. Jobs in the others wait for a door or a person, and say nothing of how busy the service is. */
export function queuesAhead({ shut = [], paused = [] }: PaceSeen): QueueName[] {
  return QUEUES.filter(
    (queue) => !paused.includes(queue) && shut.every(({ kind }) => STEP_JOBS[KINDS[kind].step].queue !== queue),
  );
}

/** How many jobs the queues should hold when the service accepts this many calls a second. */
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
 * Jobs at a shut door count neither for the depth nor for the shares: calls of the other kinds go on, of all portfolios.
 *
 * While the memory of Redis is full no row gets a job, which fails nobody: workers feed again each second.
 */
export async function feed(deps: FeedDeps, pace: PaceSeen = UNKNOWN_PACE): Promise<number> {
  return feedRows(deps, pace).catch((error) => {
    if (isRefusedAsFull(error)) return 0;
    throw error;
  });
}

async function feedRows({ rows, portfolios, queues }: FeedDeps, pace: PaceSeen): Promise<number> {
  const open = await portfolios.open();
  await addSuppliers(open, { portfolios, queues });
  const going = open.filter((state) => mayGoOn(state) && state.states.queued > 0);
  const sources = new Map(await Promise.all(going.map((state) => sourceOf(state, { rows, portfolios }))));
  const withRows = [...sources.keys()];
  if (withRows.length === 0) return 0;

  const ahead = queuesAhead(pace);
  const atDoors = await queues.waiting(QUEUES.filter((queue) => !ahead.includes(queue)));
  const mostAtDoors = MOST_AT_DOORS / withRows.length;
  const names = withRows.filter((name) => (atDoors.get(name)?.size ?? 0) < mostAtDoors);
  const waiting = await queues.waiting(ahead);
  let depth = [...waiting.values()].reduce((sum, { size }) => sum + size, 0);
  let fed = 0;
  /** Returns the portfolios that may have more rows. */
  const deal = async (eaters: Eater[], wanted: (eater: Eater) => number, where?: 'before'): Promise<Eater[]> => {
    const lots = await Promise.all(eaters.map((eater) => eater.next(wanted(eater))));
    const jobs = inTurns(lots);
    await clearTheWay(jobs, { queues, areWaiting: (failed) => areQueued(failed, rows) });
    await queues.add(jobs, where);
    depth += jobs.length;
    fed += jobs.length;
    return eaters.filter((eater, place) => lots[place]?.length === wanted(eater));
  };

  const most = depthFor(pace.flowPerS);
  const share = Math.ceil(most / names.length);
  const eaters = names.map((name) =>
    makeEater(sources.get(name) ?? NOTHING, { ahead: waiting.get(name), atDoors: atDoors.get(name) }),
  );
  const [known, fresh] = [eaters.filter(({ had }) => had > 0), eaters.filter(({ had }) => had === 0)];
  // A share is refilled only when half of it is used: rows with a job are read again each time.
  const hungry = await deal(known, ({ had }) => (had > share / 2 ? 0 : share - had));
  hungry.push(...(await deal(fresh, () => share, depth > 0 ? 'before' : undefined)));
  for (let more = hungry; more.length > 0 && depth <= most / 2; ) {
    const each = Math.ceil((most - depth) / more.length);
    more = await deal(more, () => each);
  }
  return fed;
}

/** Adds a job for each supplier that must be requested before any row of its portfolio. */
async function addSuppliers(
  open: readonly PortfolioState[],
  { portfolios, queues }: Pick<FeedDeps, 'portfolios' | 'queues'>,
): Promise<void> {
  const namesOf = (states: readonly PortfolioState[]) => states.filter(supplierComesFirst).map(({ name }) => name);
  const jobs = namesOf(open).map(supplierJob);
  const areWaiting = async (failed: readonly NewJob[]): Promise<boolean[]> => {
    const names = new Set(namesOf(await portfolios.open()));
    return failed.map(({ data }) => names.has(data.portfolio));
  };
  await clearTheWay(jobs, { queues, areWaiting });
  await queues.add(jobs);
}

async function areQueued(jobs: readonly NewJob[], rows: Rows): Promise<boolean[]> {
  const found = await rows.read(jobs.map(({ data }) => data));
  return found.map((row) => row?.state === 'queued');
}

/**
 * A failed job blocks a new one for the same row or supplier. It can remain when a row was sent again just as its job failed, or when the
 * command to remove the job was lost. It is removed if the row or supplier waits (`areWaiting`) after the job was seen among the failed
 * ones: if it had failed again since, it would not wait.
 */
async function clearTheWay(
  jobs: readonly NewJob[],
  { queues, areWaiting }: { queues: Queues; areWaiting: (failed: readonly NewJob[]) => Promise<readonly boolean[]> },
): Promise<void> {
  const failed = await queues.failedOf(jobs);
  if (failed.length === 0) return;
  const waiting = await areWaiting(failed);
  await queues.clear(failed.filter((_job, place) => waiting[place]));
}

/** The rows of one state, each as the job for its step. */
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

/** A supplier that waits for an approval blocks nobody: rows of approved imports continue. */
function supplierComesFirst({ paused, supplier, supplierAwaits }: PortfolioState): boolean {
  return paused === undefined && supplier !== undefined && isPending(supplier) && !supplierAwaits;
}

/** The jobs for a portfolio's waiting rows, in order of lines: `count` of them, starting at `from`. */
type Source = (place: { from: number; count: number }) => Promise<NewJob[]>;

const NOTHING: Source = async () => [];

/** All waiting rows, or only those that go first. */
async function sourceOf(
  { name, first }: PortfolioState,
  { rows, portfolios }: Pick<FeedDeps, 'rows' | 'portfolios'>,
): Promise<[name: string, source: Source]> {
  if (first === undefined) return [name, (place) => jobsOf({ portfolio: name, state: 'queued' }, place, rows)];
  const choose: Source = async (place) => {
    const chosen = await portfolios.chooseFirst(name, first, place);
    return chosen.map(({ row, step }) => ({ ...STEP_JOBS[step], data: row }));
  };
  // This is also needed when nothing is left to feed: it is how the portfolio pauses itself.
  await choose({ from: 0, count: 0 });
  return [name, choose];
}

/** A portfolio at the table: the jobs that it `had` before, and its next rows that have none. */
type Eater = { had: number; next: (count: number) => Promise<NewJob[]> };

type Keys = ReadonlySet<string> | undefined;

function makeEater(source: Source, { ahead = new Set(), atDoors = new Set() }: { ahead: Keys; atDoors: Keys }): Eater {
  const keysWithJob = ahead.union(atDoors);
  const found: NewJob[] = [];
  let from = 0;
  return {
    had: ahead.size,
    async next(count) {
      for (let more = true; more && found.length < count; ) {
        // Usually the first rows are the ones with jobs.
        const wanted = Math.min(from === 0 ? keysWithJob.size + count : count, PAGE);
        const page = await source({ from, count: wanted });
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

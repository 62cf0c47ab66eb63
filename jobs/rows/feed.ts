import { z } from 'zod';
import { type CallKind, KINDS } from '../../src/call-kind.ts';
import { isPending, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { RowState, Step } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { type NewJob, QUEUES, type QueueName, type Queues } from '../../src/queue/queues.ts';
import { isRefusedAsFull } from '../../src/redis-memory/memory.ts';

export type FeedDeps = { rows: Rows; portfolios: Portfolios; queues: Queues };

/**
 * How many seconds of calls at the current pace the queues hold. The next feeding comes within a second, or at once when a queue runs
 * empty. A new portfolio does not wait long behind so few jobs.
 */
const AHEAD_S = 1;
/**
 * The least number of jobs that the queues are filled to, as while the pace is unknown: a few for each call that a worker process may have
 * in flight.
 */
const LEAST_DEEP = 100;
/** The most jobs in the queues: enough to keep every worker of a fleet busy until the next feeding, and little memory in Redis. */
const MOST_DEEP = 4_000;
/**
 * The most additional jobs in queues whose breaker is tripped, where they delay no other calls. A portfolio that has its share of these
 * jobs gets no further ones.
 */
export const MOST_BEHIND_BREAKER = 4_000;
/** Rows read at a time. */
const PAGE = 1_000;

/** The pace as feeding needs it: calls accepted per second lately, kinds whose breaker is tripped, and paused queues. */
type PaceSeen = { flowPerS: number; tripped?: readonly { kind: CallKind }[]; paused?: readonly string[] };

const UNKNOWN_PACE: PaceSeen = { flowPerS: 0 };

/** The queues whose calls can be sent. Jobs in the others wait for a breaker or a person. */
export function queuesAhead({ tripped = [], paused = [] }: PaceSeen): QueueName[] {
  return QUEUES.filter(
    (queue) => !paused.includes(queue) && tripped.every(({ kind }) => STEP_JOBS[KINDS[kind].step].queue !== queue),
  );
}

/** How many jobs the queues hold at this number of calls per second. */
export function depthFor(flowPerS: number): number {
  return Math.min(Math.max(Math.ceil(AHEAD_S * flowPerS), LEAST_DEEP), MOST_DEEP);
}

/**
 * Adds jobs for rows that wait for a step, until the queues hold about a second of calls. Only this function turns waiting rows into jobs,
 * so Redis holds thousands of jobs at most, however long the portfolios are. Feeding twice is harmless: a row with a job is skipped.
 *
 * Portfolios have equal shares of the queues, and their rows alternate. A portfolio without a waiting job gets its share at
 * once and first. What a small portfolio leaves of its share goes to the others.
 *
 * Jobs behind a tripped breaker count neither for the depth nor for the shares: other kinds of calls go on.
 *
 * While the memory of Redis is full, no row gets a job and nothing fails: workers feed again each second.
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
  const behindBreaker = await queues.waiting(QUEUES.filter((queue) => !ahead.includes(queue)));
  const mostBehindBreaker = MOST_BEHIND_BREAKER / withRows.length;
  const names = withRows.filter((name) => (behindBreaker.get(name)?.size ?? 0) < mostBehindBreaker);
  const waiting = await queues.waiting(ahead);
  let depth = [...waiting.values()].reduce((sum, { size }) => sum + size, 0);
  let fed = 0;
  /** Adds jobs for each portfolio, and answers the portfolios that may have more rows. */
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
    makeEater(sources.get(name) ?? NOTHING, { ahead: waiting.get(name), behindBreaker: behindBreaker.get(name) }),
  );
  const [known, fresh] = [eaters.filter(({ had }) => had > 0), eaters.filter(({ had }) => had === 0)];
  // A portfolio's share is refilled only when half of it is used up, because each refill reads the rows with jobs again.
  const hungry = await deal(known, ({ had }) => (had > share / 2 ? 0 : share - had));
  hungry.push(...(await deal(fresh, () => share, depth > 0 ? 'before' : undefined)));
  for (let more = hungry; more.length > 0 && depth <= most / 2; ) {
    const each = Math.ceil((most - depth) / more.length);
    more = await deal(more, () => each);
  }
  return fed;
}

/** Adds the jobs of suppliers that must be created before the rows of their portfolio. */
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
 * Removes failed jobs of rows and suppliers that wait. A failed job keeps its id, so BullMQ ignores a new one. This happens if
 * a row was sent again just as its job failed, or if the command that removes the job was lost. `areWaiting` is asked after the
 * jobs were seen failed: to fail anew, a job would first have to run.
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

/** Whether the supplier has to be created before the rows. An unapproved one blocks no row: rows of approved imports go on. */
function supplierComesFirst({ paused, supplier, supplierAwaits }: PortfolioState): boolean {
  return paused === undefined && supplier !== undefined && isPending(supplier) && !supplierAwaits;
}

/** Reads a page of a portfolio's waiting rows, as jobs, in the order of lines. */
type Source = (place: { from: number; count: number }) => Promise<NewJob[]>;

const NOTHING: Source = async () => [];

/** A source of all of a portfolio's waiting rows, or of the first ones only if `first` is set. */
async function sourceOf(
  { name, first }: PortfolioState,
  { rows, portfolios }: Pick<FeedDeps, 'rows' | 'portfolios'>,
): Promise<[name: string, source: Source]> {
  if (first === undefined) return [name, (place) => jobsOf({ portfolio: name, state: 'queued' }, place, rows)];
  const choose: Source = async (place) => {
    const chosen = await portfolios.chooseFirst(name, first, place);
    return chosen.map(({ row, step }) => ({ ...STEP_JOBS[step], data: row }));
  };
  // This call also pauses a portfolio that is to stop after its first rows. So the call is made even if no row gets a job.
  await choose({ from: 0, count: 0 });
  return [name, choose];
}

/** One portfolio during a feeding: how many jobs it `had` before, and its next rows without a job. */
type Eater = { had: number; next: (count: number) => Promise<NewJob[]> };

type Keys = ReadonlySet<string> | undefined;

function makeEater(
  source: Source,
  { ahead = new Set(), behindBreaker = new Set() }: { ahead: Keys; behindBreaker: Keys },
): Eater {
  const keysWithJob = ahead.union(behindBreaker);
  const found: NewJob[] = [];
  let from = 0;
  return {
    had: ahead.size,
    async next(count) {
      for (let more = true; more && found.length < count; ) {
        // Rows with jobs usually come first, so the first page is long enough to pass them.
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

/** Interleaves the lists: the first of each, then the second of each, and so on. */
function inTurns(lots: readonly NewJob[][]): NewJob[] {
  const longest = Math.max(0, ...lots.map((lot) => lot.length));
  return Array.from({ length: longest }, (_, place) => lots.flatMap((lot) => lot.slice(place, place + 1))).flat();
}

export const STEP_JOBS = {
  company: { queue: 'companies', name: 'create-company' },
  documents: { queue: 'documents', name: 'upload-documents' },
  limit: { queue: 'buyer-limits', name: 'submit-buyer-limit' },
} as const satisfies Record<Step, { queue: QueueName; name: string }>;

/** A supplier's job runs in the companies' queue, before the rows of its portfolio. */
export const SUPPLIER_JOB = { queue: 'companies', name: 'create-supplier' } as const;

/** The job of a portfolio's supplier. `supplier` takes the place of a row's key. */
export function supplierJob(portfolio: string): NewJob {
  return { ...SUPPLIER_JOB, data: { portfolio, key: 'supplier' } };
}

const payloadSchema = z.object({ portfolio: z.string().min(1), key: z.string().min(1) });

/** Parses a job's payload: the row, or the supplier, that the job is for. */
export function parseRowPayload(data: unknown): RowId {
  return payloadSchema.parse(data);
}

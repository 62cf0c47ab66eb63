import type { CallKind } from '../../../src/call-kind.ts';
import type { Settings } from '../../../src/config.ts';
import { isPending } from '../../../src/ledger/portfolios/portfolio.ts';
import { checkEnd, checkHeld } from '../check/at-the-end.ts';
import { checkArrival, checkFirst } from '../check/promises.ts';
import { isAskedByNobody, isGoing, isOpenState, type RowNow, readLedger } from '../check/rows-now.ts';
import { KEY_HEADER } from '../doubles/service-account.ts';
import type { Answer } from '../run/schedule.ts';
import type { Simulation, World } from '../run/simulation.ts';
import { BEGIN_MS } from '../run/virtual-globals.ts';
import { answerNow, resolveRow, resumeNow } from './acts.ts';
import { type Act, type Desk, makeDesk } from './desk.ts';
import { asksForOldClaims, checksAtNight } from './nights.ts';
import { bringIn, openFor, requestFor, settingsOf, work } from './people.ts';

/** The parts of a small world. */
export type WorldPlan = {
  name: string;
  env?: Record<string, string>;
  /** Worker processes, by name. */
  workers: readonly string[];
  /** The initial rows, as portfolio, buyer and amount. */
  rows: readonly (readonly [portfolio: string, buyer: string, limit: string])[];
  /** The actions of people, as soon as they are possible. */
  people?: Readonly<Record<string, Act>>;
  /** Actions before anything else, by one process after another. */
  before?: Readonly<Record<string, Act>>;
  /** The answers of the service unless a schedule has others. */
  answers?: Readonly<Record<string, Answer>>;
  /**
   * Limits of which two never wait for the service at the same time; a row that comes after one was made is a new
   * request.
   */
  atOnce?: readonly string[];
  /** Workers with an idempotency header, which the service honours. The others have none. */
  keyed?: readonly string[];
  /** Whether nobody repeats an import that was killed. */
  leavesImports?: boolean;
  /** Whether Redis may go back in it. A person restores what it lacks then, and only sent calls are checked. */
  goesBack?: boolean;
};

/** A killed import counts as gone after five seconds (src/ledger/portfolios/imports.ts). */
const GONE_MS = 6_000;
/** Abandoned approvals are closed by then, by a look each minute (jobs/approvals/answer-approval.ts). */
const CLOSED_MS = 12 * 60_000;

/** A person looks at all portfolios after so long. */
const looksLater =
  (ms: number): Act =>
  async ({ context }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    for (const name of await context.portfolios.names()) await context.portfolios.read(name);
  };

/** Runs the nightly check after so long. */
const checksLater =
  (ms: number): Act =>
  async (desk) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    await checksAtNight(desk);
  };

/** Every process that would send anything again has done so by then. */
const LONG_ENOUGH_MS = 25_000;

const KINDS = ['company', 'document', 'limit'] as const;

export function smallWorld(plan: WorldPlan): World {
  const { name, env = {}, workers, rows, people = {}, before = {}, answers = {}, atOnce = [], goesBack = false } = plan;
  const { leavesImports = false, keyed = [] } = plan;
  const read = new Map<string, Settings>();
  const settingsIn = (dataDir: string, who = ''): Settings => {
    const header = keyed.includes(who) ? KEY_HEADER : '';
    const place = `${dataDir} ${header}`;
    const settings = read.get(place) ?? settingsOf(dataDir, { ...env, SERVICE_IDEMPOTENCY_HEADER: header });
    read.set(place, settings);
    return settings;
  };
  const policy = { company: 'hold', document: 'resend', limit: 'hold' } as Record<CallKind, string>;
  for (const kind of KINDS) policy[kind] = env[`ON_UNKNOWN_${kind.toUpperCase()}`] ?? policy[kind];
  const rules = {
    resends: KINDS.filter((kind) => policy[kind] !== 'hold'),
    needsYes: env.APPROVE_ALWAYS === 'on',
    rowsOf: (what: string) => rows.filter(([, buyer, limit]) => whatOf(buyer, limit) === what).length,
  };
  return {
    name,
    cast: [...workers, ...Object.keys(people)],
    answers,
    goesBack,
    async setUp(simulation) {
      const settings = settingsIn(simulation.dataDir);
      const importer = await openFor(simulation, 'ida', settings);
      await simulation.alone('ida', async () => {
        await importer.enterAccount();
        for (const portfolio of new Set(rows.map(([of]) => of))) {
          const own = rows.filter(([of]) => of === portfolio);
          await bringIn(
            importer,
            portfolio,
            own.map(([, buyer, limit]) => ({ key: keyOf(buyer, limit), request: requestFor(buyer, limit) })),
          );
        }
      });
      for (const [who, act] of Object.entries(before)) {
        const context = await openFor(simulation, who, settings);
        await simulation.alone(who, () => act(makeDesk(context, simulation, who)));
      }
      const contexts = new Map<string, Awaited<ReturnType<typeof openFor>>>();
      for (const who of [...workers, ...Object.keys(people)]) {
        contexts.set(who, await openFor(simulation, who, settingsIn(simulation.dataDir, who)));
      }
      for (const [who, context] of contexts) {
        const act = people[who];
        if (act) simulation.start(who, 'acts', () => act(makeDesk(context, simulation, who)));
        else simulation.start(who, 'starts', () => work(context));
      }
    },
    async isOver(simulation) {
      if (goesBack && simulation.nowMs() > BEGIN_MS + LONG_ENOUGH_MS) return true;
      if (livingWorkers(simulation, workers).length === 0) return true;
      const isWaitedFor = workers.some((name) => simulation.process(name)?.standing === 'stands still');
      if (isWaitedFor || !simulation.board.isIdle()) return false;
      const now = await readLedger(simulation.redis);
      return !now.rows.some((row) => isGoing(row, now));
    },
    async arrives(call, earlier, { says, redis, service }) {
      checkArrival(call, earlier, says, rules);
      if (call.kind === 'limit') checkFirst(call, service.arrivals, says);
      if (!atOnce.includes(call.what)) return;
      const { rows } = await readLedger(redis);
      const own = rows.filter(({ what }) => what === call.what);
      if (own.length > 0 && own.every(({ isReplaced }) => isReplaced)) {
        throw new Error(`sent for a row in whose place another stands: ${call.what}`);
      }
      // Calls that were sent before this one arrived have their answers, and this one is a separate request.
      const isOther = ({ what }: Pick<RowNow, 'what'>) => what !== call.what && atOnce.includes(what);
      const isSent = (other: RowNow) =>
        service.arrivals.some(({ kind, what }) => kind === 'limit' && what === other.what);
      if (rows.some((row) => isOther(row) && isOpenState(row.state) && !isSent(row)))
        throw new Error(`a request and its correction are both under way: ${call.what}`);
    },
    async clearUp(simulation, round) {
      if (goesBack) return false;
      if (round === 0 && simulation.isWhole()) await checkHeld(simulation);
      const now = await readLedger(simulation.redis);
      const settings = settingsIn(simulation.dataDir);
      const todo: ((desk: Desk) => Promise<unknown>)[] = [];
      for (const row of now.rows) if (row.state === 'held') todo.push((desk) => resolveRow(row, 'as it is', desk));
      for (const { name: portfolio, fields } of now.portfolios) {
        if (fields.paused !== undefined) todo.push((desk) => resumeNow(portfolio, desk));
      }
      if (now.approvals.some(({ standing }) => standing === 'waiting')) todo.push((desk) => answerNow('approve', desk));
      if (todo.length === 0 && !leavesImports) todo.push(...simulation.left.values());
      if (todo.length === 0 && now.imports.length > 0) todo.push(looksLater(GONE_MS));
      const isOpen = now.approvals.some(
        ({ id, standing, kind }) =>
          standing === 'open' &&
          kind !== 'import' &&
          now.rows.some(({ approval, state }) => approval === id && state === 'awaiting'),
      );
      if (todo.length === 0 && isOpen) todo.push(looksLater(CLOSED_MS));
      if (todo.length === 0 && now.approvals.some(isAskedByNobody(now))) todo.push(checksLater(CLOSED_MS));
      const isLeft = now.rows.some(({ state }) => isOpenState(state) || state === 'awaiting');
      // A supplier that a person allowed to be requested again is a task of workers, also if its portfolio was
      // cancelled.
      const isAsked = now.portfolios.some(({ fields }) => fields.supplier && isPending(JSON.parse(fields.supplier)));
      const needsWorker = (isLeft || isAsked) && livingWorkers(simulation, workers).length === 0;
      const isClaimed = now.calls.some(({ fields }) => fields.state === 'claimed');
      if (todo.length === 0 && !needsWorker && isClaimed) todo.push(asksForOldClaims);
      if (todo.length === 0 && !needsWorker) return false;
      if (needsWorker) {
        const worker = `wim ${round}`;
        const context = await openFor(simulation, worker, settings);
        simulation.start(worker, 'starts', () => work(context));
      }
      const who = `zoe ${round}`;
      const context = await openFor(simulation, who, settings);
      const desk = makeDesk(context, simulation, who);
      simulation.start(who, 'clears up', async () => {
        for (const act of todo) await act(desk);
      });
      return true;
    },
    checkEnd: async (simulation) => {
      if (goesBack) return;
      await checkEnd(simulation, {
        resends: rules.resends.length > 1,
        isWorkedOn: livingWorkers(simulation, workers).length > 0,
      });
    },
  };
}

const whatOf = (buyer: string, limit: string) => `${buyer.replaceAll(' ', '-')}@example.com ${limit}`;

/** The key of an initial row. */
export const keyOf = (buyer: string, limit: string) => `${buyer} ${limit}`.replaceAll(' ', '-');

function livingWorkers(simulation: Simulation, workers: readonly string[]): string[] {
  const later = Array.from({ length: 20 }, (_, round) => `wim ${round}`);
  return [...workers, ...later].filter((name) => (simulation.process(name)?.standing ?? 'dead') !== 'dead');
}

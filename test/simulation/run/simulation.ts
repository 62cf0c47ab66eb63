import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LastLink } from '../../../src/files/last-link.ts';
import type { Say } from '../check/promises.ts';
import { readLedger } from '../check/rows-now.ts';
import { makeQueueBoard, type QueueBoard } from '../doubles/queue-board.ts';
import type { Database, Reply } from '../doubles/redis-server.ts';
import { type Arrival, makeServiceAccount, type ServiceAccount } from '../doubles/service-account.ts';
import { makeVirtualRedis, type VirtualRedis } from '../doubles/virtual-redis.ts';
import type { Act } from '../worlds/desk.ts';
import { makeCopies } from './copies.ts';
import { begin, KEYS, type Process, type Shared, textOf } from './process.ts';
import { type Answer, type Deviation, GOES_BACK, type Schedule } from './schedule.ts';
import { makeScheduler, type Point, type Step } from './scheduler.ts';
import { BEGIN_MS } from './virtual-globals.ts';

/** The surroundings that doubles find for the calling process. */
export type Surroundings = Shared & {
  redis: VirtualRedis;
  board: QueueBoard;
  service: ServiceAccount;
  links: Map<string, LastLink>;
};

/** The functions with which a world prepares itself and is judged. */
export type Simulation = {
  redis: VirtualRedis;
  board: QueueBoard;
  service: ServiceAccount;
  nowMs: () => number;
  /** Starts a further process with this task; a rejection is a broken promise. */
  start: (name: string, task: string, run: (process: Process) => Promise<unknown>) => Process;
  /** Runs this in a process of its own while no other process runs. */
  alone: (name: string, run: (process: Process) => Promise<unknown>) => Promise<void>;
  /** What people said, and so allowed (check/promises.ts). */
  says: Say[];
  /** Actions that people began without hearing of their end; somebody repeats them later. */
  left: Map<string, Act>;
  /** The folder of the product's files in this run. */
  dataDir: string;
  process: (name: string) => Process | undefined;
  /** Whether no process has died or missed a reply so far. */
  isWhole: () => boolean;
  /** Records a broken promise. */
  breaks: (error: unknown) => void;
};

/** A small world: its processes, and the rules that must hold. */
export type World = {
  name: string;
  /** The processes that take turns; the schedule decides their order. */
  cast: readonly string[];
  /** The answers of the service unless a schedule has others. */
  answers?: Readonly<Record<string, Answer>>;
  /** Whether Redis may go back in it. */
  goesBack?: boolean;
  setUp: (simulation: Simulation) => Promise<void>;
  /** Whether nothing more will happen, when no process can pass at this moment. */
  isOver: (simulation: Simulation) => Promise<boolean>;
  /**
   * Throws when a promise is broken. Called after each step that may have changed something, and when a call arrives at
   * the service.
   */
  check?: (simulation: Simulation) => Promise<void>;
  arrives?: (call: Arrival, earlier: readonly Arrival[], simulation: Simulation) => void | Promise<void>;
  /** Starts the work that is left for people. Returns whether there was any. */
  clearUp?: (simulation: Simulation, round: number) => Promise<boolean>;
  checkEnd: (simulation: Simulation) => Promise<void>;
};

export type Run = {
  /** The digest of everything that happened. Digest, effects and steps exist if the run is recorded. */
  digest: () => string;
  /** The digest of everything that was done, regardless of the choices. */
  effects: () => string;
  steps: Step[];
  points: Point[];
  calls: string[];
  /** The broken promise, if any. */
  broken: string | undefined;
};

/** After these deviations every process still finishes what it began. */
const HARMLESS = new Set<Deviation>(['gives way', 'asks twice', 'stalls', 'stands still']);

/** A world that has not ended by then never ends. */
const LONGEST_MS = 30 * 60_000;
const MOST_STEPS = 40_000;
/** The number of rounds of people at the end. */
const MOST_ROUNDS = 12;

/** A stalled job waits again once its lock has expired and a worker has looked (src/queue/runner.ts). */
const STALLED_MS = 8_000;

/** How a run is played: with changed scripts, and with a record, which takes memory. */
export type Playing = { lua?: (name: string, text: string) => string; isTold?: boolean };

/** The place of runs, one after another: a database and a folder. */
export type Place = { server: Database; dataDir: string };

/** Plays a world by a schedule, from an empty Redis to the end. The same schedule gives the same bytes. */
export async function play(
  world: World,
  schedule: Schedule,
  { server, dataDir }: Place,
  { lua, isTold = false }: Playing = {},
): Promise<Run> {
  await server.run([['FLUSHDB']]);
  for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
  let broken: string | undefined;
  const breaks = (error: unknown) => {
    broken ??= error instanceof Error ? (error.stack ?? error.message) : String(error);
  };
  const stalls: { atMs: number; process: Process }[] = [];
  const scheduler = makeScheduler({
    seed: world.name,
    schedule,
    isTold,
    onDeath(process) {
      stalls.push({ atMs: scheduler.shared.nowMs + STALLED_MS, process });
      for (const worker of board.workers)
        if (worker.process === process && process.standing === 'dead') board.workers.delete(worker);
    },
    onStall: (process) => board.stall(process.name),
    onGoingBack: () => copies.goBack(),
    beforePick: () => board.offer(),
    async onTime() {
      if (mayGoBack) await copies.take();
      for (const queue of board.queues()) queue.promote();
      for (const stall of stalls.filter(({ atMs }) => atMs <= scheduler.shared.nowMs)) {
        stalls.splice(stalls.indexOf(stall), 1);
        board.stall(stall.process.name);
      }
    },
    nextMs: () => Math.min(...board.queues().map((queue) => queue.nextMs()), ...stalls.map(({ atMs }) => atMs)),
  });
  const surroundings = scheduler.shared as Surroundings;
  const board = makeQueueBoard(scheduler.shared);
  const agree = { root: KEYS.root, hear: (found: Reply) => disagreement(found, breaks) };
  const redis = makeVirtualRedis({ server, shared: surroundings, mutate: lua, agree });
  const service = makeServiceAccount({
    shared: scheduler.shared,
    schedule,
    standStill: scheduler.standStill,
    knows: async (id) => (await readLedger(redis)).calls.some(({ fields }) => fields.id === id),
    onArrival: async (call, earlier) => {
      try {
        await world.arrives?.(call, earlier, simulation);
      } catch (error) {
        breaks(error);
      }
    },
  });
  const mayGoBack = Object.values(schedule.deviations).includes(GOES_BACK);
  const copies = makeCopies({ redis, board, nowMs: () => scheduler.shared.nowMs });
  Object.assign(surroundings, { redis, board, service, links: new Map() });

  const start: Simulation['start'] = (name, task, run) => {
    const process = scheduler.process(name) ?? scheduler.add(name);
    begin(process, task, () => run(process), breaks);
    return process;
  };
  const simulation: Simulation = {
    redis,
    board,
    service,
    nowMs: () => scheduler.shared.nowMs,
    start,
    async alone(name, run) {
      const process = start(name, 'alone', run);
      while (process.tasks.size > 0 && broken === undefined) {
        const isStuck = (await scheduler.step(Number.POSITIVE_INFINITY)) === 'nothing' && process.tasks.size > 0;
        if (isStuck)
          throw new Error(
            `${name} waits for nothing: ${globalThis.process.getActiveResourcesInfo()} ${scheduler.steps.slice(-3).map(({ brief, came }) => textOf(brief) + textOf(came))}`,
          );
      }
    },
    says: [],
    left: new Map(),
    dataDir,
    process: scheduler.process,
    isWhole: () => scheduler.deviated.every((deviation) => HARMLESS.has(deviation)),
    breaks,
  };

  const tasksLeft = () => scheduler.all().some(({ tasks, standing }) => tasks.size > 0 && standing !== 'dead');
  /** Runs until nothing more will happen, or a promise is broken. */
  const run = async (): Promise<void> => {
    while (broken === undefined) {
      const passed = await scheduler.step(scheduler.shared.nowMs);
      if (passed === 'passed') {
        if (scheduler.passedAll() > MOST_STEPS) return breaks(new Error('This goes on for ever: too many steps.'));
        if (world.check) await world.check(simulation).catch(breaks);
        continue;
      }
      if (!tasksLeft() && scheduler.isStill() && (await world.isOver(simulation))) return;
      if (scheduler.shared.nowMs - BEGIN_MS > LONGEST_MS)
        return breaks(new Error('This goes on for ever: somebody waits for nothing.'));
      if ((await scheduler.step(Number.POSITIVE_INFINITY)) === 'nothing')
        return breaks(new Error('Nobody does anything any more, and it is not over.'));
    }
  };
  try {
    await world.setUp(simulation);
    if (mayGoBack) await copies.take();
    scheduler.begin(schedule.order);
    await run();
    scheduler.stopCounting();
    if (broken === undefined && !mayGoBack) disagreement(await redis.disagreements(), breaks);
    for (let round = 0; broken === undefined && (await world.clearUp?.(simulation, round)); round += 1) {
      if (round === MOST_ROUNDS) throw new Error('People came by again and again, and something is left still.');
      await run();
    }
    if (broken === undefined) disagreement(await redis.disagreements(), breaks);
    if (broken === undefined) await world.checkEnd(simulation);
  } catch (error) {
    breaks(error);
  }
  for (const process of scheduler.all()) {
    scheduler.kill(process);
    for (const end of process.endings) end();
  }
  return {
    digest: scheduler.digest,
    effects: scheduler.effects,
    steps: scheduler.steps,
    points: scheduler.points,
    calls: service.arrivals.map(({ kind, what, nth }) => `${kind} of ${what} #${nth}`),
    broken,
  };
}

function disagreement(found: Reply, breaks: (error: unknown) => void): void {
  if (found instanceof Error) breaks(found);
  if (Array.isArray(found) && found.length > 0)
    breaks(`What is kept beside rows differs from them: ${found.map(String).join('; ')}.`);
}

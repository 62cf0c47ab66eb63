import { createHash } from 'node:crypto';
import { type Boundary, makeProcess, type Process, type Shared, type Told, textOf } from './process.ts';
import type { Deviation, Schedule } from './schedule.ts';
import { BEGIN_MS, isAtWork, passTimers, somethingHasCome, turnOfTheLoop } from './virtual-globals.ts';

/** Longer than any lease, lock or heartbeat is believed. */
const STILL_MS = 12_000;

/** A boundary with possible deviations: its place, and which deviations are possible. */
export type Point = { at: string; mayRepeat: boolean; mayFail: boolean };

/** One passed boundary, for traces and stories. */
export type Step = {
  at: string;
  who: string;
  atMs: number;
  what: Told;
  brief: Told;
  came: Told;
  isQuiet: boolean;
  deviation: Deviation | undefined;
};

export type Scheduler = ReturnType<typeof makeScheduler>;

/**
 * Decides which process continues. Of all processes at a boundary, the first in order passes. If the schedule says so,
 * it gives way to all others, dies, or stands still. Time stands still while a process can pass, and then jumps to the
 * next timer.
 */
export function makeScheduler(given: {
  seed: string;
  schedule: Schedule;
  /** Whether steps are kept with everything that was sent and received, for stories and digests. */
  isTold: boolean;
  /** Called for a process that died or stands still. */
  onDeath: (process: Process, how: 'dead' | 'stands still') => void;
  /** Called when the jobs of a process count as abandoned although it continues. */
  onStall: (process: Process) => void;
  /** Called when Redis has to return to an earlier state. */
  onGoingBack: () => Promise<void>;
  /** May add boundaries of processes, such as a job that may be taken up. */
  beforePick: () => void;
  /** Called when time moves on. */
  onTime: (nowMs: number) => Promise<void>;
  /** The time of the next event that belongs to no process. */
  nextMs: () => number;
}) {
  const { seed, schedule, isTold, onDeath, onStall, onGoingBack, beforePick, onTime, nextMs } = given;
  const shared: Shared = { nowMs: BEGIN_MS, seed, wake: () => {} };
  const processes = new Map<string, Process>();
  let order: Process[] = [];
  const thaws: { atMs: number; process: Process }[] = [];
  const steps: Step[] = [];
  const points: Point[] = [];
  const deviated: Deviation[] = [];
  let passedAll = 0;
  let counts = false;
  /** The number of steps before the run began; infinite until then. */
  let before = Number.POSITIVE_INFINITY;

  const immediatesDue = (): (() => void)[] => {
    const due: (() => void)[] = [];
    for (const { immediates } of order) if (immediates.length > 0) due.push(...immediates.splice(0));
    return due;
  };

  /** Waits until every process is at a boundary or waits for time. */
  const drain = async (): Promise<void> => {
    await turnOfTheLoop();
    for (;;) {
      const due = immediatesDue();
      if (due.length === 0 && !isAtWork()) return;
      for (const run of due) run();
      await (due.length > 0 ? turnOfTheLoop() : somethingHasCome());
    }
  };

  const note = ({ name, passed }: Process, boundary: Boundary, came: Told, deviation?: Deviation): void => {
    passedAll += 1;
    if (deviation) deviated.push(deviation);
    if (!isTold) return;
    const { what, brief } = boundary;
    const isQuiet = boundary.isQuiet || steps.length < before;
    const atMs = shared.nowMs - BEGIN_MS;
    steps.push({ at: `${name}#${passed}`, who: name, atMs, what, brief, came, isQuiet, deviation });
  };

  const end = (process: Process, how: 'dead' | 'stands still'): void => {
    process.standing = how;
    if (how === 'dead') {
      process.waiting = [];
      process.immediates = [];
      for (let timer = process.timers.next(); timer; timer = process.timers.next());
      process.tasks.clear();
    } else {
      process.stood = true;
      thaws.push({ atMs: shared.nowMs + STILL_MS, process });
    }
    onDeath(process, how);
  };

  const aside = new Set<Process>();
  const giveWay = (process: Process): void => {
    aside.add(process);
    order = [...order.filter((one) => one !== process), process];
  };

  /** Passes all quiet boundaries at once. */
  const passQuiet = async (): Promise<boolean> => {
    const first: { process: Process; boundary: Boundary; came: Told | Promise<Told> }[] = [];
    for (const process of order) {
      const boundary = isQuietThere(process) ? process.waiting.shift() : undefined;
      if (!boundary) continue;
      first.push({ process, boundary, came: boundary.act() });
    }
    for (const { process, boundary, came } of first) {
      note(process, boundary, await came);
      boundary.deliver();
    }
    return first.length > 0;
  };

  const passOne = async (process: Process): Promise<boolean> => {
    const [boundary] = process.waiting;
    if (!boundary) return false;
    if (!counts) {
      process.waiting.shift();
      const came = await boundary.act();
      note(process, boundary, came);
      boundary.deliver();
      return true;
    }
    process.passed += 1;
    const at = `${process.name}#${process.passed}`;
    const { mayRepeat, mayFail } = boundary;
    points.push({ at, mayRepeat, mayFail });
    const deviation = isPossible(schedule.deviations[at], boundary) ? schedule.deviations[at] : undefined;
    switch (deviation) {
      case 'gives way':
        note(process, boundary, '', deviation);
        giveWay(process);
        return true;
      case 'stands still':
      case 'dies before':
        note(process, boundary, '', deviation);
        end(process, deviation === 'stands still' ? 'stands still' : 'dead');
        return true;
      case 'dies after':
        note(process, boundary, await boundary.act(), deviation);
        end(process, 'dead');
        return true;
      case 'fails before':
      case 'fails after':
        process.waiting.shift();
        note(process, boundary, deviation === 'fails after' ? await boundary.act() : '', deviation);
        boundary.fail();
        return true;
      case 'fails early':
        note(process, boundary, '', deviation);
        boundary.fail();
        giveWay(process);
        return true;
      case 'Redis goes back':
        await onGoingBack();
        note(process, boundary, '', deviation);
        return true;
      case 'stalls':
        note(process, boundary, '', deviation);
        onStall(process);
        return true;
      case 'asks twice':
        note(process, boundary, await boundary.act(), deviation);
        giveWay(process);
        return true;
      default: {
        process.waiting.shift();
        const came = await boundary.act();
        note(process, boundary, came);
        boundary.deliver();
        return true;
      }
    }
  };

  /** Moves time to the next event. Returns whether there was one. */
  const passTime = async (untilMs: number): Promise<boolean> => {
    const alive = order.filter(({ standing }) => standing !== 'dead');
    const dueMs = Math.min(
      ...alive.filter(({ standing }) => standing === 'runs').map(({ timers }) => timers.nextMs()),
      ...thaws.map(({ atMs }) => atMs),
      nextMs(),
    );
    if (dueMs === Number.POSITIVE_INFINITY || dueMs > untilMs) return false;
    shared.nowMs = Math.max(shared.nowMs, dueMs);
    await onTime(shared.nowMs);
    for (const thaw of thaws.filter(({ atMs }) => atMs <= shared.nowMs)) {
      thaws.splice(thaws.indexOf(thaw), 1);
      if (thaw.process.standing === 'stands still') thaw.process.standing = 'runs';
    }
    for (const process of alive) {
      if (process.standing === 'runs') passTimers(process);
    }
    return true;
  };

  return {
    shared,
    steps,
    points,
    /** The deviations so far. */
    deviated: deviated as readonly Deviation[],
    /** The number of boundaries that were passed so far. */
    passedAll: (): number => passedAll,
    process: (name: string) => processes.get(name),
    all: () => order,
    add(name: string): Process {
      const process = makeProcess(name, shared);
      processes.set(name, process);
      order.push(process);
      return process;
    },
    remove(process: Process): void {
      order = order.filter((one) => one !== process);
    },
    /** From now on boundaries count, and the existing processes go in this order. */
    begin(names: readonly string[]): void {
      counts = true;
      before = steps.length;
      const place = ({ name }: Process) => (names.includes(name) ? names.indexOf(name) : names.length);
      order = order.toSorted((one, other) => place(one) - place(other));
    },
    /** From now on nothing counts as a choice: the run is cleaned up. */
    stopCounting(): void {
      counts = false;
    },
    kill: (process: Process) => end(process, 'dead'),
    standStill: (process: Process) => end(process, 'stands still'),
    /** Waits until every process is at a boundary or waits for time. */
    drain,

    /** Whether no running process is at a boundary. */
    isStill: (): boolean => order.every(({ standing, waiting }) => standing !== 'runs' || waiting.length === 0),

    /** One step: a process passed a boundary, or time passed. */
    async step(untilMs: number): Promise<'passed' | 'time' | 'nothing'> {
      await drain();
      beforePick();
      if (counts && order.some(isQuietThere) && (await passQuiet())) return 'passed';
      for (const process of order) {
        const mayPass = process.standing === 'runs' && process.waiting.length > 0 && !aside.has(process);
        if (mayPass && (await passOne(process))) return 'passed';
      }
      // A process that gave way waits until all others wait, and the first of their waits has ended.
      const isAside = [...aside].some(({ standing, waiting }) => standing === 'runs' && waiting.length > 0);
      aside.clear();
      const hasPassed = await passTime(isAside ? Number.POSITIVE_INFINITY : untilMs);
      return hasPassed || isAside ? 'time' : 'nothing';
    },

    /** The digest of everything that happened. */
    digest: (): string =>
      digestOf(
        steps.map(
          ({ atMs, at, deviation, what, came }) =>
            `${atMs} ${at} ${deviation ?? ''} ${textOf(what)} -> ${textOf(came)}\n`,
        ),
      ),
    /** The digest of everything that was done since the beginning, regardless of the choices that led there. */
    effects: (): string =>
      digestOf(
        steps
          .slice(before)
          .filter(({ deviation }) => deviation !== 'gives way')
          .map(({ who, deviation, what, came }) => `${who} ${deviation} ${textOf(what)} ${textOf(came)}\n`),
      ),
  };
}

const isQuietThere = ({ standing, waiting: [boundary] }: Process): boolean =>
  standing === 'runs' && boundary?.isQuiet === true;

/** A schedule of another run may have a deviation that is impossible here. */
function isPossible(deviation: Deviation | undefined, { mayRepeat, mayFail }: Boundary): boolean {
  if (deviation === 'asks twice') return mayRepeat;
  return mayFail || !deviation?.startsWith('fails');
}

const digestOf = (lines: readonly string[]): string => createHash('sha256').update(lines.join('')).digest('hex');

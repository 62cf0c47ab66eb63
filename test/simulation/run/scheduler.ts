import { createHash } from 'node:crypto';
import { type Boundary, makeProcess, type Process, type Shared, type Told, textOf } from './process.ts';
import type { Deviation, Schedule } from './schedule.ts';
import { BEGIN_MS, isAtWork, passTimers, somethingHasCome, turnOfTheLoop } from './virtual-globals.ts';

/** Longer than any lease, lock or heartbeat of ours is believed. */
const STILL_MS = 12_000;

/** A boundary at which something else might have been done: where, and what else may be done there. */
export type Point = { at: string; mayRepeat: boolean; mayFail: boolean };

/** One passed boundary, as traces and stories have it. */
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
 * Decides who goes on. Of all processes that stand at a boundary, the first in order passes; where the schedule says so it gives way to all
 * others, dies, or stands still. Time stands while anybody can pass, and jumps to the next timer then.
 */
export function makeScheduler(given: {
  seed: string;
  schedule: Schedule;
  /** Whether steps are kept, with all that was sent and what came: for stories and digests. */
  isTold: boolean;
  /** Hears of a process that died, or stands still. */
  onDeath: (process: Process, how: 'dead' | 'stands still') => void;
  /** Hears that the jobs of a process count as left, though it goes on. */
  onStall: (process: Process) => void;
  /** Hears that Redis is to be what it was before. */
  onGoingBack: () => Promise<void>;
  /** May put boundaries before processes, such as a job that may be taken up. */
  beforePick: () => void;
  /** Hears that time goes on. */
  onTime: (nowMs: number) => Promise<void>;
  /** When something is due that is no process' own. */
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
  /** So many steps were there before it began; all of them, until then. */
  let before = Number.POSITIVE_INFINITY;

  const immediatesDue = (): (() => void)[] => {
    const due: (() => void)[] = [];
    for (const { immediates } of order) if (immediates.length > 0) due.push(...immediates.splice(0));
    return due;
  };

  /** Until nobody does anything any more but stand at boundaries. */
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

  /** What is nobody else's business passes first, all in one go. */
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

  /** Lets time go on to the next thing that is due. Answers whether there was one. */
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
    /** What was done otherwise until now. */
    deviated: deviated as readonly Deviation[],
    /** How many boundaries were passed until now. */
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
    /** From now on boundaries count, and those who are there go in this order. */
    begin(names: readonly string[]): void {
      counts = true;
      before = steps.length;
      const place = ({ name }: Process) => (names.includes(name) ? names.indexOf(name) : names.length);
      order = order.toSorted((one, other) => place(one) - place(other));
    },
    /** Nothing that comes counts as a choice: what is cleared up at the end. */
    stopCounting(): void {
      counts = false;
    },
    kill: (process: Process) => end(process, 'dead'),
    standStill: (process: Process) => end(process, 'stands still'),
    /** Waits until everybody stands at a boundary, or waits for time to pass. */
    drain,

    /** Whether nobody who runs stands at a boundary. */
    isStill: (): boolean => order.every(({ standing, waiting }) => standing !== 'runs' || waiting.length === 0),

    /** One step: a boundary that somebody passed, or time that passed. */
    async step(untilMs: number): Promise<'passed' | 'time' | 'nothing'> {
      await drain();
      beforePick();
      if (counts && order.some(isQuietThere) && (await passQuiet())) return 'passed';
      for (const process of order) {
        const mayPass = process.standing === 'runs' && process.waiting.length > 0 && !aside.has(process);
        if (mayPass && (await passOne(process))) return 'passed';
      }
      // Who gave way stands until all others wait for something, and the first of that has come.
      const isAside = [...aside].some(({ standing, waiting }) => standing === 'runs' && waiting.length > 0);
      aside.clear();
      const hasPassed = await passTime(isAside ? Number.POSITIVE_INFINITY : untilMs);
      return hasPassed || isAside ? 'time' : 'nothing';
    },

    /** Everything that happened, in one word. */
    digest: (): string =>
      digestOf(
        steps.map(
          ({ atMs, at, deviation, what, came }) =>
            `${atMs} ${at} ${deviation ?? ''} ${textOf(what)} -> ${textOf(came)}\n`,
        ),
      ),
    /** The same of what was done since it began, by whichever choices it came to that. */
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

/** A schedule may come from another run, in which something else stood at this place. */
function isPossible(deviation: Deviation | undefined, { mayRepeat, mayFail }: Boundary): boolean {
  if (deviation === 'asks twice') return mayRepeat;
  return mayFail || !deviation?.startsWith('fails');
}

const digestOf = (lines: readonly string[]): string => createHash('sha256').update(lines.join('')).digest('hex');

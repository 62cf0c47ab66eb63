import { hostname } from 'node:os';
import type { Audit } from '../../src/audit/audit.ts';
import { counted } from '../../src/counted.ts';
import { messageOf } from '../../src/errors.ts';
import type { EventMapping } from '../../src/events/event-mapping.ts';
import type { SendMarks } from '../../src/ledger/calls/send-marks.ts';
import type { Events, ReadEvent } from '../../src/ledger/events/events.ts';
import type { EVENT_BECAME, EventBecame, NewEvent } from '../../src/ledger/events/kept-event.ts';
import { becameWords, hasWhys } from '../../src/ledger/events/kept-event.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { Log } from '../../src/log.ts';
import { DAY_MS } from '../../src/time-units.ts';
import { makeForeignAmount } from '../operators/foreign-amount.ts';
import { allTheSameWords, makeMistypedQuestion, makeSpelling, seenStatuses } from '../operators/mistyped-status.ts';
import { type DecisionTaken, makeSeldomTold, takeDecision, tellDecided } from '../operators/take-decision.ts';
import type { DecisionDeps } from '../operators/take-decisions.ts';
import { type EventReading, readEvent } from './read-event.ts';

/** The author of decisions from events, in the rows' histories and in the audit trail. */
const BY = 'events';

/** The most events that are read at the same time. All their contents are in memory. */
const EVENTS_AT_ONCE = 8;

/** The most decisions of one event that are taken at the same time. */
const DECISIONS_AT_ONCE = 50;

/** The interval in which a process looks for events that are due again, and for those of a process that died. */
const LOOK_EVERY_MS = 10_000;

/** The shortest time between two log entries that count what became of events, and between two notices of their decisions. */
const SAY_EVERY_MS = 60_000;

/**
 * When an event is read again, in ms of its age, if its limit is not known yet or its row is not done: the event may overtake the answer to
 * Limitline's own call. The first time is after `first`, each further one when the event is twice as old, until `last`. `asked`: the
 * longest pause where a status may be mistyped. A person may settle that days later, and the event is then read within this time.
 */
const AGAIN_MS = { first: 10_000, last: DAY_MS, asked: 600_000 };

type TakingDeps = DecisionDeps & {
  events: Pick<Events, 'keep' | 'nextToRead' | 'raw' | 'walk'>;
  audit: Audit;
  marks: Pick<SendMarks, 'follow'>;
  log: Log;
};

/**
 * What an event says of a limit, and what became of that decision. `why`: why the decision was not taken. `left`: why some rows do not show
 * it yet. `doubts`: what a person should check.
 */
export type ToldReading = EventReading & {
  why?: string;
  became: keyof typeof EVENT_BECAME;
  rows: RowId[];
  left: DecisionTaken['left'];
  doubts: string[];
};

/**
 * Tells what would become of the decisions in an event, and changes nothing. Of several decisions about a limit the one with the latest
 * time counts, in whatever order and however often events come.
 */
export async function tryEvent(
  { firstMs, body }: { firstMs: number; body: string },
  { mapping, mistyped }: { mapping: EventMapping; mistyped: MistypedIn },
  deps: DecisionDeps,
): Promise<ToldReading[]> {
  const told = { by: BY, file: '', dryRun: true, deps };
  const found = readEvent(body, mapping, { firstMs });
  return takeReadings(found, told, await mistyped(found));
}

/** Reads which statuses were seen before, and answers how a status is spelled as one of these, and whether it is a mistyped one of them. */
type MistypedIn = ReturnType<typeof makeMistypedIn>;

/**
 * Makes a {@link MistypedIn}. It reads the seen statuses again only for an event with a status not among them, since that takes a Redis
 * command for each portfolio.
 */
export function makeMistypedIn(deps: DecisionDeps) {
  const lookFor = (seen: string[]) => ({ seen, mistyped: makeMistypedQuestion(seen), spelled: makeSpelling(seen) });
  let look = lookFor([]);
  return async (readings: readonly EventReading[]) => {
    const isSeen = (one: EventReading) => one.is !== 'decision' || look.seen.includes(one.word.status);
    if (!readings.every(isSeen)) look = lookFor(await seenStatuses(deps, await deps.portfolios.names()));
    return look;
  };
}

/** Takes the decisions of an event, some at the same time, but none in another currency or whose status may be mistyped: nobody can be asked. */
async function takeReadings(
  readings: readonly EventReading[],
  told: Parameters<typeof takeDecision>[1] & { deps: DecisionDeps },
  { mistyped, spelled }: Awaited<ReturnType<MistypedIn>>,
): Promise<ToldReading[]> {
  const foreignOf = makeForeignAmount(told.deps);
  const take = async (reading: EventReading): Promise<ToldReading> => {
    if (reading.is !== 'decision') return { ...reading, became: reading.is, rows: [], left: [], doubts: [] };
    const word = { ...reading.word, status: spelled(reading.word.status) };
    const [question, foreign] = [mistyped(word.status), await foreignOf(word, reading.currencies)];
    const isRefused = question !== '' || foreign !== undefined;
    const taken = await takeDecision(word, { ...told, dryRun: told.dryRun || isRefused });
    if (!isRefused || taken.became !== 'taken') return { ...reading, ...taken };
    if (foreign !== undefined) return { ...reading, ...taken, became: 'foreign', why: foreign };
    return { ...reading, ...taken, became: 'mistyped', why: `${question} ${allTheSameWords(word.status)}` };
  };
  const taken: ToldReading[] = [];
  for (let from = 0; from < readings.length; from += DECISIONS_AT_ONCE)
    taken.push(...(await Promise.all(readings.slice(from, from + DECISIONS_AT_ONCE).map(take))));
  return taken;
}

/** Counts an event's readings by what became of them. */
export function countReadings(readings: readonly ToldReading[]): EventBecame {
  const counts: Partial<Record<keyof typeof EVENT_BECAME, number>> = {};
  for (const { became } of readings) counts[became] = (counts[became] ?? 0) + 1;
  return counts;
}

/** Reads an event for decisions and takes them. Answers what became of it. An event that is not kept any more states none. */
async function takeKept(
  id: string,
  { mapping, mistyped: mistypedIn, noted }: Taking,
  deps: TakingDeps,
): Promise<TakenEvent> {
  const raw = await deps.events.raw(id);
  if (!raw) return { id, became: {}, whys: [] };
  const found = readEvent(raw.body.toString(), mapping, raw);
  const told = { by: BY, file: `event ${id}`, deps };
  // The statuses are read once, so that the decisions taken below are those in the audit entry.
  const mistyped = await mistypedIn(found);
  const tried = noted && !noted.has(id) ? await takeReadings(found, { ...told, dryRun: true }, mistyped) : [];
  const decisions = tried.filter(({ became }) => became === 'taken').length;
  // Only an event that changes something gets an audit entry. Otherwise, a sender with the secret could fill the audit with copies of one
  // event.
  if (decisions > 0) {
    const from = `events listener on ${hostname()}`;
    await deps.audit.note({ by: BY, what: 'decisions taken in', from, facts: { event: id, decisions } });
    noted?.add(id);
  }
  const readings = await takeReadings(found, { ...told, dryRun: false }, mistyped);
  noted?.delete(id);
  const isAsked = readings.some(({ became }) => became === 'mistyped');
  const isOpen = readings.some(({ became, left }) => became === 'unknown' || left.length > 0);
  const ageMs = Math.max(AGAIN_MS.first, Math.round(Date.now() - raw.firstMs));
  const laterMs = isOpen && ageMs < AGAIN_MS.last ? ageMs : undefined;
  const againMs = isAsked ? Math.min(ageMs, AGAIN_MS.asked) : laterMs;
  const whys = readings.flatMap(({ became, why }) => (why !== undefined && hasWhys({ [became]: 1 }) ? [why] : []));
  return { id, became: countReadings(readings), againMs, whys };
}

/** An event that was read. `whys`: why decisions of it were not taken, where a person has to read that. */
type TakenEvent = ReadEvent & { whys: string[] };

/**
 * How events are taken. `noted`: given where no command has made an audit entry for all events, so that each event that changes something
 * needs its own. It has the ids of events with an entry whose decisions are not all taken yet.
 */
type Taking = { mapping: EventMapping; mistyped: MistypedIn; noted?: Set<string> };

/**
 * Takes the decisions of all kept events, or of those since a moment, the oldest first. Returns the number of events, counts of what became
 * of their decisions, and why some were not taken, where a person has to read that.
 */
export async function takeAllEvents(
  { mapping, sinceMs }: { mapping: EventMapping; sinceMs?: number | undefined },
  deps: TakingDeps,
): Promise<{ events: number; became: EventBecame; whys: { event: string; why: string }[] }> {
  const counts = makeCounts();
  const taking = { mapping, mistyped: makeMistypedIn(deps) };
  const whys: { event: string; why: string }[] = [];
  for await (const page of deps.events.walk({ sinceMs, from: 'oldest' })) {
    for (let from = 0; from < page.length; from += EVENTS_AT_ONCE) {
      const some = page.slice(from, from + EVENTS_AT_ONCE);
      const read = await Promise.all(some.map(({ id }) => takeKept(id, taking, deps)));
      await deps.events.nextToRead(read, 0);
      counts.add(read);
      whys.push(...read.flatMap((one) => one.whys.map((why) => ({ event: one.id, why }))));
    }
  }
  await tellDecided(deps);
  return { ...counts.take(), whys };
}

/**
 * Starts to take decisions from events, beside the listener that keeps them. Each acknowledged event is in a list of those to be read, so
 * another process reads it if this one is killed. A fault is logged, never thrown, and the work is tried again.
 *
 * @param given.everyMs how often it looks without being told
 * @returns `keep` keeps an event and has it read; `stop` resolves once nothing is under way
 */
export function startTakingEvents(
  deps: TakingDeps,
  { mapping, everyMs = LOOK_EVERY_MS }: { mapping: EventMapping; everyMs?: number },
) {
  const { events, log } = deps;
  const counts = makeCounts();
  const taking = { mapping, mistyped: makeMistypedIn(deps), noted: new Set<string>() };
  const tellSeldom = makeSeldomTold(deps, SAY_EVERY_MS);
  let [isStopped, isRung, isUnmarked, saidMs] = [false, false, false, Number.NEGATIVE_INFINITY];
  let wake = (): void => {};
  const ring = (): void => {
    isRung = true;
    wake();
  };

  const wait = async (): Promise<void> => {
    if (!isRung && !isStopped) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, everyMs);
      await promise;
      clearTimeout(timer);
    }
    isRung = false;
  };

  const say = (): void => {
    const { events: read, became } = counts.take();
    if (read === 0) return;
    saidMs = performance.now();
    const words = `${counted(read, 'event')} ${read === 1 ? 'was' : 'were'} read: ${becameWords(became) || 'no decisions'}`;
    log[hasWhys(became) ? 'warn' : 'info']({ read, became }, words);
  };

  const takeSome = async (ids: readonly string[]): Promise<ReadEvent[]> => {
    const read = await Promise.allSettled(ids.map((id) => takeKept(id, taking, deps)));
    const failed = read.find((one) => one.status === 'rejected');
    // Events that were not read are handed out again after a while.
    if (failed) log.error({ reason: messageOf(failed.reason) }, 'an event could not be read; it is tried again');
    return read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  };

  const going = (async () => {
    let done: ReadEvent[] = [];
    while (!isStopped || done.length > 0) {
      try {
        const ids = await events.nextToRead(done, isStopped ? 0 : EVENTS_AT_ONCE);
        counts.add(done);
        done = await takeSome(ids);
        const isDue = performance.now() - saidMs >= SAY_EVERY_MS;
        if (isDue) say();
        // Many events that come together lead to one notice, and to one mark by which a Redis without them is known.
        isUnmarked ||= ids.length > 0;
        if (isDue || ids.length === 0) {
          await Promise.all([tellSeldom({ isNews: isUnmarked }), isUnmarked && deps.marks.follow()]);
          isUnmarked = false;
        }
        if (ids.length === 0) await wait();
      } catch (error) {
        log.error(
          { reason: messageOf(error) },
          'the events that tell decisions cannot be read; they are read again later',
        );
        done = [];
        isRung = false;
        await wait();
      }
    }
    // If this fails, the process on duty tells people.
    await tellSeldom({ isLast: true }).catch(() => {});
    say();
  })();

  return {
    async keep(event: NewEvent) {
      const kept = await events.keep({ ...event, isToBeRead: true });
      if (kept !== 'full') ring();
      return kept;
    },
    async stop(): Promise<void> {
      isStopped = true;
      wake();
      await going;
    },
  };
}

/** Makes a counter of events and of what became of their decisions. */
export function makeCounts() {
  let events = 0;
  let sums: Partial<Record<keyof typeof EVENT_BECAME, number>> = {};
  return {
    add(read: readonly Pick<ReadEvent, 'became'>[]): void {
      events += read.length;
      for (const { became } of read) {
        for (const [name, count] of Object.entries(became) as [keyof EventBecame, number][]) {
          sums[name] = (sums[name] ?? 0) + count;
        }
      }
    },
    /** Returns the sums since the last call, and begins new ones. */
    take(): { events: number; became: EventBecame } {
      const all = { events, became: sums };
      [events, sums] = [0, {}];
      return all;
    },
  };
}

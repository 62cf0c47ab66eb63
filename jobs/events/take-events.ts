import { hostname } from 'node:os';
import type { Audit } from '../../src/audit/audit.ts';
import { counted } from '../../src/counted.ts';
import { messageOf } from '../../src/errors.ts';
import type { EventMapping } from '../../src/events/event-mapping.ts';
import type { Events, ReadEvent } from '../../src/ledger/events/events.ts';
import { becameWords, type EVENT_BECAME, type EventBecame, type NewEvent } from '../../src/ledger/events/kept-event.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { Log } from '../../src/log.ts';
import { tellDecided } from '../operators/decided-notice.ts';
import { allTheSameWords, makeMistyped, seenStatuses } from '../operators/mistyped-status.ts';
import { takeDecision } from '../operators/take-decision.ts';
import type { DecisionDeps } from '../operators/take-decisions.ts';
import { type EventReading, readEvent } from './read-event.ts';

/** By whom decisions are brought, in the rows' histories and the audit. */
const BY = 'events';

/** Events read side by side. Their contents are in memory together. */
const EVENTS_AT_ONCE = 8;

/** Decisions of one event that are taken side by side. */
const DECISIONS_AT_ONCE = 50;

/** How often a process looks for events that are to be read again, or that a process which ended has left. */
const LOOK_EVERY_MS = 10_000;

/** The log has what became of events as often as it has what came. */
const SAY_EVERY_MS = 60_000;

/**
 * An event about a limit that is not known yet, or whose row is not done, is read again: after ten seconds, and then whenever it is twice as
 * old, for a day. The answer to Limitline's own call may come after the event. `asked`: how long a status that may be mistyped waits at most once
 * somebody said what it means, which may be after a weekend.
 */
const AGAIN_MS = { first: 10_000, last: 86_400_000, asked: 600_000 };

type TakingDeps = DecisionDeps & {
  events: Pick<Events, 'keep' | 'nextToRead' | 'raw' | 'walk'>;
  audit: Audit;
  log: Log;
};

/** What an event says, and what became of it; `why`: why it is not taken; `left`: why rows do not say it yet; `doubts`: what to think of. */
export type ToldReading = EventReading & {
  why?: string;
  became: keyof typeof EVENT_BECAME;
  rows: RowId[];
  left: string[];
  doubts: string[];
};

/**
 * Says what would become of the decisions that an event states; changes nothing. In whatever order events come, and however often, the latest
 * decision by its own time counts.
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

/** What asks about statuses that may be mistyped, for the readings of an event. */
export type MistypedIn = ReturnType<typeof makeMistypedIn>;

/** The statuses that were seen are read again only for an event with another one: that takes a command for each portfolio. */
export function makeMistypedIn(deps: DecisionDeps) {
  let [seen, mistyped]: [string[], ReturnType<typeof makeMistyped>] = [[], () => ''];
  return async (readings: readonly EventReading[]) => {
    if (readings.every((one) => one.is !== 'decision' || seen.includes(one.word.status))) return mistyped;
    seen = await seenStatuses(deps, await deps.portfolios.names());
    mistyped = makeMistyped(seen);
    return mistyped;
  };
}

/** Takes the decisions of an event, some side by side, without those whose status may be mistyped: nobody is there to be asked. */
async function takeReadings(
  readings: readonly EventReading[],
  told: Parameters<typeof takeDecision>[1],
  mistyped: ReturnType<typeof makeMistyped>,
): Promise<ToldReading[]> {
  const take = async (reading: EventReading): Promise<ToldReading> => {
    if (reading.is !== 'decision') return { ...reading, became: reading.is, rows: [], left: [], doubts: [] };
    const question = mistyped(reading.word.status);
    const taken = await takeDecision(reading.word, { ...told, dryRun: told.dryRun || question !== '' });
    if (question === '' || taken.became !== 'taken') return { ...reading, ...taken };
    return { ...reading, ...taken, became: 'mistyped', why: `${question} ${allTheSameWords(reading.word.status)}` };
  };
  const taken: ToldReading[] = [];
  for (let from = 0; from < readings.length; from += DECISIONS_AT_ONCE)
    taken.push(...(await Promise.all(readings.slice(from, from + DECISIONS_AT_ONCE).map(take))));
  return taken;
}

/** How many readings became what. */
export function becameOf(readings: readonly ToldReading[]): EventBecame {
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
  // Once, so that what is taken is what was noted.
  const mistyped = await mistypedIn(found);
  const tried = noted && !noted.has(id) ? await takeReadings(found, { ...told, dryRun: true }, mistyped) : [];
  const decisions = tried.filter(({ became }) => became === 'taken').length;
  // What is noted is only what changes something: whoever knows the secret may send the same again and again.
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
  const whys = readings.flatMap(({ became, why }) => (became === 'mistyped' && why !== undefined ? [why] : []));
  return { id, became: becameOf(readings), againMs, whys };
}

/** `whys`: what is asked about statuses that may be mistyped. */
type TakenEvent = ReadEvent & { whys: string[] };

/**
 * `noted`: where no command has an entry of the audit, each event that changes something gets one before. These have theirs, but could not be
 * taken yet.
 */
type Taking = { mapping: EventMapping; mistyped: MistypedIn; noted?: Set<string> };

/**
 * Takes the decisions of all events that are kept, or of those since a moment, the oldest first. Answers what became of how many, and which
 * events have statuses that may be mistyped.
 */
export async function takeAllEvents(
  { mapping, sinceMs }: { mapping: EventMapping; sinceMs?: number | undefined },
  deps: TakingDeps,
): Promise<{ events: number; became: EventBecame; mistyped: { event: string; why: string }[] }> {
  const counts = makeCounts();
  const taking = { mapping, mistyped: makeMistypedIn(deps) };
  const mistyped: { event: string; why: string }[] = [];
  for await (const page of deps.events.walk({ sinceMs, from: 'oldest' })) {
    for (let from = 0; from < page.length; from += EVENTS_AT_ONCE) {
      const some = page.slice(from, from + EVENTS_AT_ONCE);
      const read = await Promise.all(some.map(({ id }) => takeKept(id, taking, deps)));
      await deps.events.nextToRead(read, 0);
      counts.add(read);
      mistyped.push(...read.flatMap(({ id, whys }) => whys.map((why) => ({ event: id, why }))));
    }
  }
  await tellDecided(deps);
  return { ...counts.take(), mistyped };
}

/**
 * Reads events for decisions beside the listener that keeps them. An event that was acknowledged stands among those to be read, so whoever
 * reads next finds it, if this process is killed. Never throws: logs a fault, and tries again.
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
  let [isStopped, isRung, isUntold, saidMs] = [false, false, false, Number.NEGATIVE_INFINITY];
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
    log[became.unreadable || became.mistyped ? 'warn' : 'info']({ read, became }, words);
  };

  const takeSome = async (ids: readonly string[]): Promise<ReadEvent[]> => {
    const read = await Promise.allSettled(ids.map((id) => takeKept(id, taking, deps)));
    const failed = read.find((one) => one.status === 'rejected');
    // An event that was not read is handed out again after a while.
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
        // Once for many events that come together.
        isUntold ||= ids.length > 0;
        if (isUntold && (isDue || ids.length === 0)) await tellDecided(deps);
        if (isDue || ids.length === 0) isUntold = false;
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

/** Adds up what became of events. */
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
    /** The sums so far, which begin anew. */
    take(): { events: number; became: EventBecame } {
      const all = { events, became: sums };
      [events, sums] = [0, {}];
      return all;
    },
  };
}

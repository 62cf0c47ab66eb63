import { makeLuaScript } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import type { RetryUntilAnswered } from '../schema/until-answered.ts';

/** One due run of a task. `id` is its due time `atMs` in ISO 8601. */
export type NightOf = { task: string; id: string; atMs: number };

/** A run that has begun and not ended. `begun`: how often its night was begun. */
export type RunUnderWay = { id: string; by: string; process: string; host: string; sinceMs: number; begun: number };

/** A run that has ended; `words` contain no personal data. */
export type RunEnd = {
  id: string;
  by: string;
  is: 'well' | 'findings' | 'failed';
  words: string;
  report?: string;
  startedMs: number;
  endedMs: number;
};

export type TaskRuns = {
  last: RunEnd | undefined;
  /** The last run that came to its end, with findings or without. */
  lastWell: RunEnd | undefined;
  lastFailed: RunEnd | undefined;
  underWay: RunUnderWay | undefined;
};

/** One entry of the schedule in force, and since when it is known, in ms: earlier due times are not caught up with. */
export type HeldEntry = { task: string; pattern: string; tz: string; sinceMs: number };

export type NightlyRuns = ReturnType<typeof makeNightlyRuns>;

/** Ended nights kept of a task: they recognize a night even if a clock was wrong by most of a day while a task ran each minute; some 50 kB. */
const KEPT_NIGHTS = 1_000;

/** Keeps which nights have begun and ended. A night ends once, in one atomic step, however many processes run it. */
export function makeNightlyRuns(given: LedgerPlace & { retryUntilAnswered: RetryUntilAnswered }) {
  const { connection, keys, retryUntilAnswered } = given;
  const script = makeLuaScript(connection, new URL('../lua/note-night.lua', import.meta.url));
  const note = (
    what: 'begin' | 'end' | 'leave',
    { task, id, atMs }: NightOf,
    more: { run?: string; how?: string } = {},
  ) =>
    script(
      { runs: keys.nightlyRuns, ended: keys.nightsEnded(task) },
      { what, task, night: id, atMs, kept: KEPT_NIGHTS, ...more },
    );

  return {
    /** Notes that a run begins. Answers how often this night was begun, or 0 if it has ended: then there is nothing to do. */
    async begin(night: NightOf, run: Omit<RunUnderWay, 'id' | 'begun'>): Promise<number> {
      return Number(await retryUntilAnswered('night begun', () => note('begin', night, { run: JSON.stringify(run) })));
    },

    /** Notes how a run ended. False if another run of the night had ended before: that one counts. */
    async end(night: NightOf, end: Omit<RunEnd, 'id'>): Promise<boolean> {
      const text = JSON.stringify({ id: night.id, ...end });
      const how = end.is === 'failed' ? 'failed' : 'well';
      return (await retryUntilAnswered('night ended', () => note('end', night, { run: text, how }))) === 1;
    },

    /** Leaves the run to another process: this beginning no longer counts. */
    async leave(night: NightOf): Promise<void> {
      await note('leave', night);
    },

    /**
     * Whether this night or a later one has ended. Nights due in the future do not count: they may come from a clock that was wrong for a
     * while.
     */
    async hasEnded({ task, id, atMs }: NightOf, nowMs: number): Promise<boolean> {
      const key = keys.nightsEnded(task);
      const [itself, later] = await Promise.all([
        connection.zscore(key, id),
        connection.zcount(key, `(${atMs}`, nowMs),
      ]);
      return itself !== null || later > 0;
    },

    async read(tasks: readonly string[]): Promise<Record<string, TaskRuns>> {
      const known = await connection.hgetall(keys.nightlyRuns);
      return Object.fromEntries(
        tasks.map((task): [string, TaskRuns] => [
          task,
          {
            last: readEnd(known[`${task} last`]),
            lastWell: readEnd(known[`${task} well`]),
            lastFailed: readEnd(known[`${task} failed`]),
            underWay: readUnderWay(known[`${task} now`]),
          },
        ]),
      );
    },

    /** The schedule in force for the account; undefined if no process ever ran one. */
    async schedule(): Promise<HeldEntry[] | undefined> {
      const text = await connection.hget(keys.nightlyRuns, 'schedule');
      return text === null ? undefined : (JSON.parse(text) as HeldEntry[]);
    },

    /** Puts this schedule into force. */
    async hold(entries: readonly HeldEntry[]): Promise<void> {
      await writeAnyway(connection, 'HSET', keys.nightlyRuns, 'schedule', JSON.stringify(entries));
    },
  };
}

function readEnd(text: string | null | undefined): RunEnd | undefined {
  return text ? (JSON.parse(text) as RunEnd) : undefined;
}

/** Reads a run under way, `<night> <times begun> <JSON>`, as note-night.lua writes it. */
function readUnderWay(text: string | undefined): RunUnderWay | undefined {
  const [, id = '', begun, json = ''] = /^(\S+) (\d+) (.*)$/s.exec(text ?? '') ?? [];
  return json === '' ? undefined : { ...(JSON.parse(json) as RunUnderWay), id, begun: Number(begun) };
}

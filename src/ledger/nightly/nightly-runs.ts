import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/write-anyway.ts';
import type { Keys } from '../schema/keys.ts';
import type { RetryUntilAnswered } from '../schema/until-answered.ts';

/** Which run is meant: a task of the schedule, and the moment that it is for. The night's id is that moment in ISO 8601. */
export type NightOf = { task: string; id: string; atMs: number };

/** A run that has begun. */
export type RunUnderWay = { id: string; by: string; process: string; host: string; sinceMs: number; begun: number };

/** A run that has ended; `words` name nobody. */
export type RunEnd = {
  id: string;
  by: string;
  is: 'well' | 'findings' | 'failed';
  words: string;
  report?: string;
  startedMs: number;
  endedMs: number;
};

/** What is known of one task's runs. */
export type TaskRuns = {
  last: RunEnd | undefined;
  /** The last one that came to its end, with findings or without. */
  lastWell: RunEnd | undefined;
  lastFailed: RunEnd | undefined;
  underWay: RunUnderWay | undefined;
};

/** One entry of the schedule that holds, and since when it is known, in ms: moments before that are nobody's to catch up with. */
export type HeldEntry = { task: string; pattern: string; tz: string; sinceMs: number };

export type NightlyRuns = ReturnType<typeof makeNightlyRuns>;

/** Enough to know a night again though a clock was wrong by most of a day while a task ran each minute; some 50 kB a task. */
const KEPT_NIGHTS = 1_000;

/** Which nights were begun and which have ended: a night ends once, in one atomic step, whoever runs it how often. */
export function makeNightlyRuns({
  connection,
  keys,
  retryUntilAnswered,
}: {
  connection: RedisConnection;
  keys: Keys;
  retryUntilAnswered: RetryUntilAnswered;
}) {
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
    /** Notes that a run begins. Answers how often this night was begun, or 0 where it has ended: then there is nothing to do. */
    async begin(night: NightOf, run: Omit<RunUnderWay, 'id' | 'begun'>): Promise<number> {
      return Number(await retryUntilAnswered('night begun', () => note('begin', night, { run: JSON.stringify(run) })));
    },

    /** Notes how it ended. False where another run of the night had ended before: that one counts. */
    async end(night: NightOf, end: Omit<RunEnd, 'id'>): Promise<boolean> {
      const text = JSON.stringify({ id: night.id, ...end });
      const how = end.is === 'failed' ? 'failed' : 'well';
      return (await retryUntilAnswered('night ended', () => note('end', night, { run: text, how }))) === 1;
    },

    /** The run is left for another process: to have begun it does not count. */
    async leave(night: NightOf): Promise<void> {
      await note('leave', night);
    },

    /**
     * Whether the night of this moment has ended, or one behind it. Those of moments that are still to come do not count: a clock
     * that was wrong for a while may have had them.
     */
    async hasEnded({ task, id, atMs }: NightOf, nowMs: number): Promise<boolean> {
      const key = keys.nightsEnded(task);
      const [itself, later] = await Promise.all([
        connection.zscore(key, id),
        connection.zcount(key, `(${atMs}`, nowMs),
      ]);
      return itself !== null || later > 0;
    },

    /** How a night ended, as long as it is the last one of its task. */
    async endOf({ task, id }: NightOf): Promise<RunEnd | undefined> {
      const end = readEnd(await connection.hget(keys.nightlyRuns, `${task} last`));
      return end?.id === id ? end : undefined;
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

    /** The schedule that holds for the account; nothing where no process was ever on duty. */
    async schedule(): Promise<HeldEntry[] | undefined> {
      const text = await connection.hget(keys.nightlyRuns, 'schedule');
      return text === null ? undefined : (JSON.parse(text) as HeldEntry[]);
    },

    /** From now on this schedule holds. */
    async hold(entries: readonly HeldEntry[]): Promise<void> {
      await writeAnyway(connection, 'HSET', keys.nightlyRuns, 'schedule', JSON.stringify(entries));
    },
  };
}

function readEnd(text: string | null | undefined): RunEnd | undefined {
  return text ? (JSON.parse(text) as RunEnd) : undefined;
}

/** `<night> <times begun> <JSON>`, as note-night.lua writes it. */
function readUnderWay(text: string | undefined): RunUnderWay | undefined {
  const [, id = '', begun, json = ''] = /^(\S+) (\d+) (.*)$/s.exec(text ?? '') ?? [];
  return json === '' ? undefined : { ...(JSON.parse(json) as RunUnderWay), id, begun: Number(begun) };
}

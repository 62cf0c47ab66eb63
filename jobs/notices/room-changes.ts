import { statfs } from 'node:fs/promises';
import { OLDER } from '../../src/ledger/calls/send-marks.ts';
import type { Notice } from '../../src/notices/notice.ts';
import { judge, type Observation } from './condition.ts';
import { type SystemChange, systemChangeOf } from './service-changes.ts';

/** A Redis server: bytes used and available, and whether its last write to disk succeeded. */
export type RedisRoom = { usedBytes: number; mostBytes: number; isWriting: boolean };

export const ROOM_SUBJECTS = {
  disk: 'disk',
  memory: 'redis memory',
  writes: 'redis writes',
  older: 'redis older',
} as const;

type Remembered = { [Subject in keyof typeof ROOM_SUBJECTS]?: string | undefined };

/**
 * Once the disk or the memory was nearly full, the share in use must fall to this part of its limit before there is room again. Files come
 * and go while a portfolio is read.
 */
const BELOW_SHARE = 0.95;

/** How long there must be room again: space that is filled again within minutes does not count as free. */
const MEND_MS = 10 * 60_000;

const RULES = { afterMs: 0, mendMs: MEND_MS };

/**
 * Checks whether the disk or Redis' memory is nearly full, whether Redis writes to its disk, and whether it is older than what
 * was sent. A state that could not be read stays as it was.
 *
 * @param fullAbove percent in use
 */
export function roomChanges(
  { disk, redis, isOlder }: { disk: DiskRoom | undefined; redis: readonly RedisRoom[]; isOlder: boolean | undefined },
  remembered: Remembered,
  { nowMs, fullAbove }: { nowMs: number; fullAbove: number },
): SystemChange[] {
  const diskUsed = disk && usedPercent(disk.totalBytes - disk.freeBytes, disk.totalBytes);
  const memory = redis.map(({ usedBytes, mostBytes }) => usedPercent(usedBytes, mostBytes));
  const memoryUsed = memory.length === 0 ? undefined : Math.max(...memory);

  const change = (
    subject: keyof typeof ROOM_SUBJECTS,
    observed: Observation,
    title: string,
    facts: Readonly<Record<string, string>>,
  ): SystemChange[] => {
    const judged = judge(remembered[subject], { observed }, nowMs, RULES);
    const notice: Notice = {
      kind: subject === 'disk' ? 'disk' : 'redis',
      title,
      facts: Object.entries(facts).map(([term, what]) => ({ term, what })),
      path: '/health',
      atMs: nowMs,
    };
    const told = judged.tells?.is === 'bad' ? notice : undefined;
    return systemChangeOf(ROOM_SUBJECTS[subject], remembered[subject], judged, told);
  };
  const [diskFullness, memoryFullness] = [diskUsed, memoryUsed].map((used) => observedFullness(used, fullAbove));
  return [
    ...change('disk', diskFullness, `The disk is nearly full: ${shown(diskUsed ?? 0)} in use`, {
      Free: `${gigabytes(disk?.freeBytes ?? 0)} of ${gigabytes(disk?.totalBytes ?? 0)}`,
      'What to do': 'make room on the disk of the data folder: imports are refused once it is full',
    }),
    ...change('memory', memoryFullness, `The memory of Redis is nearly full: ${shown(memoryUsed ?? 0)} in use`, {
      'What to do': 'give Redis more memory: when there is none left, nothing is written and all calls wait',
    }),
    ...change('writes', observedWrites(redis), 'Redis cannot write to its disk', {
      'What to do': 'look at the log of Redis and the room on its disk',
    }),
    ...change('older', isOlder === undefined ? undefined : isOlder ? 'bad' : 'well', OLDER.title, {
      Why: OLDER.why,
      'What to do': OLDER.recover,
      Or: OLDER.accept,
    }),
  ];
}

/** Free space on a folder's disk; nothing where the folder does not exist yet, because the first import makes it. */
export async function lookAtDisk(folder: string): Promise<DiskRoom | undefined> {
  try {
    const { bsize, bavail, blocks, bfree } = await statfs(folder);
    // Like `df`, leaves out what is reserved for root.
    return { freeBytes: bavail * bsize, totalBytes: (blocks - bfree + bavail) * bsize };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The memory of a Redis server from its `INFO`. Without a limit of its own, the machine's memory counts. */
export function readRedisRoom(info: Readonly<Record<string, string>>): RedisRoom {
  const limit = Number(info.maxmemory ?? 0);
  return {
    usedBytes: Number(info.used_memory ?? 0),
    mostBytes: limit > 0 ? limit : Number(info.total_system_memory ?? 0),
    isWriting: info.aof_last_write_status !== 'err' && info.rdb_last_bgsave_status !== 'err',
  };
}

/** The data folder's disk, in bytes. */
type DiskRoom = { freeBytes: number; totalBytes: number };

const usedPercent = (used: number, most: number): number => (most > 0 ? (100 * used) / most : 0);

function observedFullness(percent: number | undefined, above: number): Observation {
  if (percent === undefined) return undefined;
  if (percent > above) return 'bad';
  return percent <= above * BELOW_SHARE ? 'well' : undefined;
}

function observedWrites(redis: readonly RedisRoom[]): Observation {
  if (redis.length === 0) return undefined;
  return redis.every(({ isWriting }) => isWriting) ? 'well' : 'bad';
}

/** The percentage as text. It is rounded down, so that 100 % means full. */
const shown = (percent: number): string => `${Math.floor(percent)} %`;

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

import { describe, expect, test } from 'vitest';
import { lookAtDisk, type RedisRoom, readRedisRoom, roomChanges } from '../../../jobs/notices/room-changes.ts';
import { makeFolder } from '../../support/workplace.ts';

const MINUTE = 60_000;
const BEGIN = 1_763_802_000_000;

type Rooms = Parameters<typeof roomChanges>[0];

const disk = (percent: number): Rooms => ({
  disk: { freeBytes: (100 - percent) * 1e9, totalBytes: 100e9 },
  redis: [],
  isOlder: undefined,
});
const redis = (...rooms: Partial<RedisRoom>[]): Rooms => ({
  disk: undefined,
  redis: rooms.map((room) => ({ usedBytes: 10, mostBytes: 100, isWriting: true, ...room })),
  isOlder: undefined,
});
const UNKNOWN: Rooms = { disk: undefined, redis: [], isOlder: undefined };

/** Looks at these minutes, and returns each notice with its minute. */
function tellOf(looks: Record<number, Rooms>, fullAbove = 90): string[] {
  const remembered: Record<string, string> = {};
  const told: string[] = [];
  for (const [minute, rooms] of Object.entries(looks)) {
    const known = {
      disk: remembered.disk,
      memory: remembered['redis memory'],
      writes: remembered['redis writes'],
      older: remembered['redis older'],
    };
    for (const change of roomChanges(rooms, known, { nowMs: BEGIN + Number(minute) * MINUTE, fullAbove })) {
      expect(change.was).toBe(remembered[change.subject] ?? '');
      remembered[change.subject] = change.state;
      if (change.notice) told.push(`${minute}: ${change.notice.kind}, ${change.notice.title}`);
    }
  }
  return told;
}

const FULL = 'disk, The disk is nearly full: 91 % in use';

describe('room on the disk and in Redis', () => {
  test.each<[string, Record<number, Rooms>, string[]]>([
    ['below the limit sends no notice', { 0: disk(90), 1: redis({ usedBytes: 90 }) }, []],
    ['on a nearly full disk sends one notice', { 0: disk(91), 1: disk(99), 600: disk(91) }, [`0: ${FULL}`]],
    [
      'freed and filled again sends another notice',
      { 0: disk(91), 1: disk(85), 12: disk(85), 13: disk(91) },
      [`0: ${FULL}`, `13: ${FULL}`],
    ],
    [
      'freed for some minutes sends no further notice',
      { 0: disk(91), 1: disk(85), 9: disk(91), 30: disk(91) },
      [`0: ${FULL}`],
    ],
    [
      'near the limit sends no further notice',
      { 0: disk(91), 1: disk(88), 60: disk(88), 61: disk(91) },
      [`0: ${FULL}`],
    ],
    ['unknown in between sends no further notice', { 0: disk(91), 1: UNKNOWN, 60: disk(91) }, [`0: ${FULL}`]],
    [
      'in the memory of Redis sends a notice',
      { 0: redis({ usedBytes: 95 }) },
      ['0: redis, The memory of Redis is nearly full: 95 % in use'],
    ],
    [
      'in the fullest server of a cluster counts',
      { 0: redis({}, { usedBytes: 95 }, {}) },
      ['0: redis, The memory of Redis is nearly full: 95 % in use'],
    ],
    ['of a Redis without a known limit sends no notice', { 0: redis({ mostBytes: 0 }) }, []],
    [
      'of a Redis that cannot write to its disk sends one notice',
      { 0: redis({ isWriting: false }), 1: redis({ isWriting: false }) },
      ['0: redis, Redis cannot write to its disk'],
    ],
    [
      'of Redis and the disk sends a notice for each',
      { 0: { ...redis({ usedBytes: 99, isWriting: false }), ...{ disk: disk(100).disk } } },
      [
        '0: disk, The disk is nearly full: 100 % in use',
        '0: redis, The memory of Redis is nearly full: 99 % in use',
        '0: redis, Redis cannot write to its disk',
      ],
    ],
  ])('%s', (_what, looks, told) => {
    expect(tellOf(looks)).toEqual(told);
  });

  test.each([
    [50, disk(51), 1],
    [50, disk(50), 0],
    [95, disk(94), 0],
    [100, disk(100), 0],
    [50, redis({ usedBytes: 51 }), 1],
  ])('NOTIFY_FULL_ABOVE=%i sets the limit', (fullAbove, rooms, told) => {
    expect(tellOf({ 0: rooms }, fullAbove)).toHaveLength(told);
  });
});

describe('measuring room', () => {
  test('finds the free bytes of a disk, and nothing for a missing folder', async () => {
    const dir = await makeFolder();
    const seen = await lookAtDisk(dir);
    expect(seen?.freeBytes).toBeGreaterThan(0);
    expect(seen?.totalBytes).toBeGreaterThan(seen?.freeBytes ?? 0);
    expect(await lookAtDisk(`${dir}/none`)).toBeUndefined();
  });

  test.each([
    ['its own limit', { used_memory: '10', maxmemory: '40', total_system_memory: '100' }, [10, 40, true]],
    [
      "its machine's memory if it has no limit",
      { used_memory: '10', maxmemory: '0', total_system_memory: '100' },
      [10, 100, true],
    ],
    ['zero if INFO is empty', {}, [0, 0, true]],
    ['a failed write to the append-only file', { aof_last_write_status: 'err' }, [0, 0, false]],
    ['a failed snapshot', { aof_last_write_status: 'ok', rdb_last_bgsave_status: 'err' }, [0, 0, false]],
  ])('reads from INFO of Redis %s', (_what, info, [usedBytes, mostBytes, isWriting]) => {
    expect(readRedisRoom(info)).toEqual({ usedBytes, mostBytes, isWriting });
  });
});

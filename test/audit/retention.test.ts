import { expect, test } from 'vitest';
import { NOTE, openTrails } from '../support/audit.ts';

const BY = { by: 'nightly', from: 'command line on test' };

/** A trail of entries with different times, and these times. */
async function trailOf(count: number) {
  const installation = await openTrails();
  const trail = installation.process();
  for (let number = 1; number <= count; number += 1) {
    await trail.note(NOTE);
    // The trail uses the clock of Redis, so the next entry waits until that has advanced.
    const [entry] = (await trail.read.page({ count: 1, walk: 1 })).entries;
    await expect
      .poll(async () => nowMs(await installation.admin.time()), { interval: 1 })
      .toBeGreaterThan(entry?.atMs ?? 0);
  }
  const times = (await trail.read.page({ count, walk: count })).entries.reverse().map(({ atMs }) => atMs);
  return { ...installation, trail, times };
}

const nowMs = ([seconds, micros]: (number | string)[]) => Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);

// Promise: cut-behind-a-checkpoint
test('entries older than a time are cut off after a checkpoint is written, and the trail stays verifiable', async () => {
  const { trail, times } = await trailOf(6);
  expect(await trail.cut({ ...BY, beforeMs: times[3] ?? 0 })).toEqual({ upTo: 3, count: 3 });
  const { entries } = await trail.read.page({ count: 9, walk: 9 });
  expect(entries.map(({ number }) => number)).toEqual([7, 6, 5, 4]);
  expect(entries[0]).toMatchObject({ ...BY, what: 'audit trail cut', facts: { upTo: 3, count: 3 } });
  expect(await trail.verify()).toMatchObject({ entries: 4, first: 4, broken: undefined });
  // The second cut of a trail.
  expect(await trail.cut({ ...BY, beforeMs: times[5] ?? 0 })).toEqual({ upTo: 5, count: 2 });
  expect(await trail.verify()).toMatchObject({ first: 6, broken: undefined });
});

test('without old entries nothing is cut and nothing is written', async () => {
  const { trail, times } = await trailOf(2);
  expect(await trail.cut({ ...BY, beforeMs: times[0] ?? 0 })).toBeUndefined();
  expect(await (await openTrails()).process().cut({ ...BY, beforeMs: Date.now() })).toBeUndefined();
  expect(await trail.read.count()).toBe(2);
});

test('when all entries are old only the checkpoint is left', async () => {
  const { trail } = await trailOf(3);
  expect(await trail.cut({ ...BY, beforeMs: Date.now() + 86_400_000 })).toEqual({ upTo: 3, count: 3 });
  expect(await trail.verify()).toMatchObject({ entries: 1, first: 4, broken: undefined });
});

test('a process that is killed between checkpoint and cut leaves an unbroken trail, which the next cut shortens', async () => {
  const { trail, times, admin, keys } = await trailOf(4);
  const copy = await admin.dumpBuffer(keys.audit);
  await trail.cut({ ...BY, beforeMs: times[2] ?? 0 });
  const checkpoint = await admin.xrange(keys.audit, '5-0', '5-0');
  // The state before the cut, with the checkpoint at its end.
  await admin.restore(keys.audit, 0, copy, 'REPLACE');
  await admin.xadd(keys.audit, '5-0', ...(checkpoint[0]?.[1] ?? []));
  expect(await trail.verify()).toMatchObject({ entries: 5, first: 1, broken: undefined });
  expect(await trail.cut({ ...BY, beforeMs: times[2] ?? 0 })).toEqual({ upTo: 2, count: 2 });
  expect(await trail.verify()).toMatchObject({ first: 3, broken: undefined });
});

// Promise: cut-behind-a-checkpoint
test('a cut beyond the checkpoint is reported', async () => {
  const { trail, times, admin, keys } = await trailOf(5);
  await trail.cut({ ...BY, beforeMs: times[2] ?? 0 });
  await admin.xtrim(keys.audit, 'MINID', '5-0');
  expect((await trail.verify()).broken).toMatchObject({ number: 3, is: 'start' });
});

test('a trail that is cut while it is verified is not reported as broken', async () => {
  const { trail, times } = await trailOf(6);
  const [check, cut] = await Promise.all([trail.verify(), trail.cut({ ...BY, beforeMs: times[4] ?? 0 })]);
  expect([check.broken, cut]).toEqual([undefined, { upTo: 4, count: 4 }]);
});

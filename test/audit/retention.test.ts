import { expect, test } from 'vitest';
import { NOTE, openTrails } from '../support/audit.ts';

const BY = { by: 'nightly', from: 'command line on test' };

/** A trail of so many entries, each of a time of its own, and the time of each. */
async function trailOf(count: number) {
  const installation = await openTrails();
  const trail = installation.process();
  for (let number = 1; number <= count; number += 1) {
    await trail.note(NOTE);
    // By its own clock, which is Redis': the next entry comes when that has gone on.
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
test('what is older than a time is cut off behind a checkpoint, and the trail is still whole', async () => {
  const { trail, times } = await trailOf(6);
  expect(await trail.cut({ ...BY, beforeMs: times[3] ?? 0 })).toEqual({ upTo: 3, count: 3 });
  const { entries } = await trail.read.page({ count: 9, walk: 9 });
  expect(entries.map(({ number }) => number)).toEqual([7, 6, 5, 4]);
  expect(entries[0]).toMatchObject({ ...BY, what: 'audit trail cut', facts: { upTo: 3, count: 3 } });
  expect(await trail.verify()).toMatchObject({ entries: 4, first: 4, broken: undefined });
  // A second cut, of a trail that was cut before.
  expect(await trail.cut({ ...BY, beforeMs: times[5] ?? 0 })).toEqual({ upTo: 5, count: 2 });
  expect(await trail.verify()).toMatchObject({ first: 6, broken: undefined });
});

test('where nothing is so old, nothing is cut and nothing is written', async () => {
  const { trail, times } = await trailOf(2);
  expect(await trail.cut({ ...BY, beforeMs: times[0] ?? 0 })).toBeUndefined();
  expect(await (await openTrails()).process().cut({ ...BY, beforeMs: Date.now() })).toBeUndefined();
  expect(await trail.read.count()).toBe(2);
});

test('all that there is may be older: then the checkpoint alone is left', async () => {
  const { trail } = await trailOf(3);
  expect(await trail.cut({ ...BY, beforeMs: Date.now() + 86_400_000 })).toEqual({ upTo: 3, count: 3 });
  expect(await trail.verify()).toMatchObject({ entries: 1, first: 4, broken: undefined });
});

test('a process that was killed between the checkpoint and the cut leaves a whole trail, which the next night cuts', async () => {
  const { trail, times, admin, keys } = await trailOf(4);
  const copy = await admin.dumpBuffer(keys.audit);
  await trail.cut({ ...BY, beforeMs: times[2] ?? 0 });
  const checkpoint = await admin.xrange(keys.audit, '5-0', '5-0');
  // As it was before the cut, with the checkpoint at its end.
  await admin.restore(keys.audit, 0, copy, 'REPLACE');
  await admin.xadd(keys.audit, '5-0', ...(checkpoint[0]?.[1] ?? []));
  expect(await trail.verify()).toMatchObject({ entries: 5, first: 1, broken: undefined });
  expect(await trail.cut({ ...BY, beforeMs: times[2] ?? 0 })).toEqual({ upTo: 2, count: 2 });
  expect(await trail.verify()).toMatchObject({ first: 3, broken: undefined });
});

// Promise: cut-behind-a-checkpoint
test('whoever cuts more than the checkpoint says is found out', async () => {
  const { trail, times, admin, keys } = await trailOf(5);
  await trail.cut({ ...BY, beforeMs: times[2] ?? 0 });
  await admin.xtrim(keys.audit, 'MINID', '5-0');
  expect((await trail.verify()).broken).toMatchObject({ number: 3, is: 'start' });
});

test('a trail that is cut while it is checked is checked again, and no break is made of it', async () => {
  const { trail, times } = await trailOf(6);
  const [check, cut] = await Promise.all([trail.verify(), trail.cut({ ...BY, beforeMs: times[4] ?? 0 })]);
  expect([check.broken, cut]).toEqual([undefined, { upTo: 4, count: 4 }]);
});

import { describe, expect, test } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import { makePace } from '../../src/pace/pace.ts';
import { connectRedis, freshPrefix } from '../support/ledger.ts';

const never = new AbortController().signal;

/** Several processes with one pace. */
function makePaces(count: number, ceilingPerS?: number) {
  const key = freshPrefix();
  return Array.from({ length: count }, () =>
    makePace({ connection: connectRedis(), key, ceilingPerS, log: makeSilentLog() }),
  );
}

describe('a ceiling', () => {
  test('holds for all processes together, with turns spaced evenly', async () => {
    const paces = makePaces(3, 100);
    const begin = performance.now();
    const taken = await Promise.all(paces.flatMap((pace) => Array.from({ length: 20 }, () => pace.take(never))));
    const seconds = (performance.now() - begin) / 1_000;
    expect(taken.every(({ is }) => is === 'turn')).toBe(true);
    // The first leaves at once, so 59 intervals lie between 60 turns.
    expect(59 / seconds).toBeLessThanOrEqual(100);
  });

  test('of less than one call a second sends the row back rather than let it wait', async () => {
    const [pace] = makePaces(1, 0.1);
    expect(await pace?.take(never)).toMatchObject({ is: 'turn' });
    const second = await pace?.take(never);
    expect(second).toMatchObject({ is: 'later' });
    expect(second?.is === 'later' && second.waitMs).toBeGreaterThan(5_000);
  });
});

describe('a block', () => {
  test('stops every process for as long as the service asks', async () => {
    const [mine, other] = makePaces(2);
    await mine?.block({ why: 'status 429', askedMs: 60_000, episode: 0 });
    const taken = await other?.take(never);
    expect(taken?.is === 'later' && taken.waitMs).toBeGreaterThan(50_000);
    expect(other?.blocked()?.why).toBe('status 429');
  });

  test('of many calls that met one limit counts once, and waits no longer for it', async () => {
    const [pace] = makePaces(1);
    const turns = await Promise.all(Array.from({ length: 20 }, () => pace?.take(never)));
    for (const turn of turns) if (turn?.is === 'turn') await pace?.block({ why: 'status 429', episode: turn.episode });
    // Doubled twenty times it would be days; one episode costs the first wait.
    expect((pace?.blocked()?.untilMs ?? 0) - Date.now()).toBeLessThan(1_000);
    expect(await pace?.take(never)).toMatchObject({ is: 'turn', episode: 1 });
  });

  test('doubles while the service stays away, up to a few seconds', async () => {
    const [pace] = makePaces(1);
    const waits: number[] = [];
    for (let episode = 0; episode < 8; episode += 1) {
      await pace?.block({ why: 'gone', episode });
      waits.push((pace?.blocked()?.untilMs ?? 0) - Date.now());
    }
    expect(waits[0]).toBeLessThanOrEqual(250);
    expect(waits[7]).toBeGreaterThan(3_000);
    expect(waits[7]).toBeLessThanOrEqual(4_000);
  });

  test('is forgotten as soon as the service answers', async () => {
    const [pace] = makePaces(1);
    await pace?.block({ why: 'gone', episode: 0 });
    await pace?.take(never);
    await pace?.answered();
    await pace?.block({ why: 'gone', episode: 1 });
    expect((pace?.blocked()?.untilMs ?? 0) - Date.now()).toBeLessThanOrEqual(250);
  });
});

test('a wait ends when the process stops', async () => {
  const [pace] = makePaces(1, 0.5);
  await pace?.take(never);
  const stop = new AbortController();
  const waiting = pace?.take(stop.signal);
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'STOPPED' });
});

test('without a ceiling nobody waits', async () => {
  const [pace] = makePaces(1);
  const taken = await Promise.all(Array.from({ length: 500 }, () => pace?.take(never)));
  expect(taken.every((turn) => turn?.is === 'turn')).toBe(true);
});

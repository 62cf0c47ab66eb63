import { describe, expect, test } from 'vitest';
import { readTripped } from '../../src/pace/breaker-words.ts';
import type { Breakers } from '../../src/pace/breakers.ts';
import { inVirtualTime, readUntil, sleep, testInTime } from '../support/virtual-time.ts';

const never = new AbortController().signal;
const works = { signal: never, tryToken: async () => true };
const WHY = 'status 502';

/** So many answers with an unknown outcome. */
async function lose(breakers: Breakers, count: number): Promise<void> {
  for (let answer = 0; answer < count; answer += 1) await breakers.unknown('limit', WHY, undefined);
}

describe.concurrent('a circuit breaker', () => {
  testInTime('trips at the third unknown answer in a row of its kind, from any processes', async (time) => {
    const [mine, other, third, fourth] = [
      time.openBreakers(),
      time.openBreakers(),
      time.openBreakers(),
      time.openBreakers(),
    ];
    await mine.unknown('limit', WHY, undefined);
    await other.unknown('limit', WHY, undefined);
    await other.unknown('company', WHY, undefined);
    expect(await third.enter('limit', works)).toBeUndefined();
    await third.unknown('limit', WHY, undefined);
    expect(third.tripped()).toMatchObject([{ kind: 'limit', why: WHY }]);
    expect(third.isTripped('company')).toBe(false);
    // A new process reads the state first.
    expect(await fourth.enter('limit', works)).toMatchObject({ kind: 'limit' });
  });

  testInTime(
    'does not trip if known answers come between, and ignores known answers from before the unknown ones',
    async (time) => {
      const [mine, other] = [time.openBreakers(), time.openBreakers()];
      await lose(mine, 2);
      await mine.known('limit', undefined);
      await lose(mine, 2);
      expect(mine.isTripped('limit')).toBe(false);
      await other.known('limit', undefined);
      await mine.unknown('limit', WHY, undefined);
      // The other process reports its answer only now.
      const isTripped = async () => (await other.enter('company', works)) ?? other.isTripped('limit');
      expect(await readUntil(isTripped, (is) => is === true)).toBe(true);
    },
  );

  // Promise: outage-holds-few-rows
  testInTime('lets one probe at a time through in the whole fleet, and all calls once it is answered', async (time) => {
    const [mine, other] = [time.openBreakers(), time.openBreakers()];
    await lose(mine, 3);
    const passed: (string | undefined)[] = [];
    const all = [mine, mine, other, other].map(async (breakers) => {
      const probe = await breakers.enter('limit', works);
      passed.push(probe?.kind);
      if (probe) await breakers.known('limit', undefined, probe);
    });
    await Promise.all(all);
    expect(passed).toEqual(['limit', undefined, undefined, undefined]);
    expect(mine.tripped()).toEqual([]);
  });

  // Promise: outage-holds-few-rows
  testInTime('is not probed while no token is available, and no other process tries meanwhile', async (time) => {
    const [mine, other] = [time.openBreakers(), time.openBreakers()];
    await lose(mine, 3);
    const tokens = [false, true];
    let asked = 0;
    const tryToken = async () => {
      asked += 1;
      return tokens.shift() ?? true;
    };
    const probe = await Promise.race(
      [mine, other].map((breakers) => breakers.enter('limit', { signal: never, tryToken })),
    );
    expect(probe).toMatchObject({ kind: 'limit' });
    expect(asked).toBe(2);
  });

  testInTime('waits as long as the service asks if it gives no token', async (time) => {
    const { connection, breakersKey: key } = time;
    const breakers = time.openBreakers();
    await lose(breakers, 3);
    const stop = new AbortController();
    const options = { signal: stop.signal, tryToken: async () => false, waitMs: () => 3_600_000 };
    const waiting = expect(breakers.enter('limit', options)).rejects.toMatchObject({ code: 'STOPPED' });
    const untilMs = async () => (await readTripped(connection, key))[0]?.untilMs ?? 0;
    const late = Date.now() + 3_500_000;
    expect(await readUntil(untilMs, (ms) => ms > late)).toBeGreaterThan(late);
    stop.abort();
    await waiting;
  });

  testInTime('passes a probe on that brought no answer, and takes it from a process that vanished', async (time) => {
    const { connection, breakersKey: key } = time;
    const breakers = time.openBreakers();
    await lose(breakers, 3);
    const probe = await breakers.enter('limit', works);
    await probe?.giveBack();
    const [seconds] = await connection.time();
    const leaseUntil = (Number(seconds) + 2) * 1e6;
    await connection.hset(key, { lease: 'vanished/1', leaseUntil, dueAt: 0 });
    expect(await breakers.enter('limit', works)).toMatchObject({ kind: 'limit' });
    expect(Number((await connection.time())[0]) * 1e6).toBeGreaterThanOrEqual(leaseUntil);
  });

  testInTime('no longer delays callers whose process stops', async (time) => {
    const breakers = time.openBreakers();
    await lose(breakers, 3);
    const stop = new AbortController();
    const waiting = breakers.enter('limit', { ...works, signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'STOPPED' });
  });

  testInTime('shows outside readers that it is tripped, and why', async (time) => {
    const { connection, breakersKey: key } = time;
    expect(await readTripped(connection, key)).toEqual([]);
    await lose(time.openBreakers(), 3);
    const [tripped] = await readTripped(connection, key);
    expect(tripped).toMatchObject({ kind: 'limit', why: WHY });
    expect(tripped?.untilMs).toBeGreaterThan(Date.now());
  });

  testInTime('counts as being probed exactly while a probe is on its way', async (time) => {
    const { connection, breakersKey: key } = time;
    const [breakers, other] = [time.openBreakers(), time.openBreakers()];
    await lose(breakers, 3);
    const isTried = async () => (await readTripped(connection, key)).map((tripped) => tripped.isTried);
    expect(await isTried()).toEqual([false]);
    expect(breakers.tripped()).toMatchObject([{ isTried: false }]);
    const probe = await breakers.enter('limit', works);
    expect(await isTried()).toEqual([true]);
    expect(await other.look()).toMatchObject([{ isTried: true }]);
    await probe?.giveBack();
    expect(await isTried()).toEqual([false]);
    expect(breakers.tripped()).toMatchObject([{ isTried: false }]);
  });

  testInTime('counts an answer once if its script runs twice', async (time) => {
    const { connection, breakersKey: key } = time;
    const breakers = time.openBreakers();
    await lose(breakers, 2);
    const told = (await connection.hget(key, 'told:limit')) ?? '';
    const script = Reflect.get(connection, 'limitline:unknown-answer') as (...words: unknown[]) => Promise<unknown>;
    await script.call(connection, 1, key, 'limit', WHY, told, '', 3, 1e6, 3e8, 1e7);
    expect(await connection.hget(key, 'row:limit')).toBe('2');
  });
});

/**
 * How many calls an outage of so many seconds leaves unknown, in virtual time, and how long after its end calls go
 * on.
 */
function outage(
  seconds: number,
  { processes, callers, kinds, tokenWorks }: { processes: number; callers: number; kinds: 1 | 2; tokenWorks: boolean },
): Promise<{ unknown: number; tokenCalls: number; backS: number }> {
  return inVirtualTime(async (time) => {
    const beginMs = Date.now();
    const isOver = () => Date.now() - beginMs > seconds * 1_000;
    let [unknown, tokenCalls, backMs] = [0, 0, 0];
    const tryToken = async () => {
      await sleep(20);
      tokenCalls += 1;
      return tokenWorks || isOver();
    };
    const caller = async (breakers: Breakers, kind: 'company' | 'limit'): Promise<void> => {
      for (;;) {
        const probe = await breakers.enter(kind, { signal: never, tryToken });
        await sleep(20);
        if (isOver()) {
          backMs ||= Date.now();
          await breakers.known(kind, undefined, probe);
          return;
        }
        unknown += 1;
        await breakers.unknown(kind, WHY, probe);
      }
    };
    const all = Array.from({ length: processes }, time.openBreakers).flatMap((breakers) =>
      Array.from({ length: callers }, (_, at) => caller(breakers, kinds === 2 && at % 2 === 0 ? 'company' : 'limit')),
    );
    await Promise.all(all);
    return { unknown, tokenCalls, backS: (backMs - beginMs) / 1_000 - seconds };
  });
}

describe.concurrent('an outage', () => {
  // Promise: outage-holds-few-rows
  test.each([
    [{ processes: 1, callers: 32, kinds: 1, tokenWorks: true } as const],
    [{ processes: 2, callers: 16, kinds: 2, tokenWorks: true } as const],
  ])('of an hour leaves no more unknown calls than those in flight and the probes: %j', async (fleet) => {
    const { unknown, backS } = await outage(3_600, fleet);
    expect(unknown).toBeGreaterThan(32);
    expect(unknown).toBeLessThanOrEqual(60);
    // By then five minutes lie between two probes.
    expect(backS).toBeLessThan(305);
  });

  test('of an hour costs no probes while the token endpoint is away too, and its end is noticed quickly', async () => {
    const { unknown, backS, tokenCalls } = await outage(3_600, {
      processes: 2,
      callers: 16,
      kinds: 2,
      tokenWorks: false,
    });
    expect(unknown).toBeLessThanOrEqual(36);
    expect(tokenCalls).toBeGreaterThan(1_000);
    expect(backS).toBeLessThan(4);
  });

  test.each([true, false])(
    'of 12 s leaves at most 40 unknown calls, with a working token endpoint: %s',
    async (tokenWorks) => {
      const { unknown, backS } = await outage(12, { processes: 2, callers: 16, kinds: 2, tokenWorks });
      expect(unknown).toBeLessThanOrEqual(40);
      expect(backS).toBeLessThan(8);
    },
  );
});

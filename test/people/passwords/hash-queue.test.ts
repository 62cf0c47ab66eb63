import { describe, expect, test, vi } from 'vitest';
import { makeHashQueue } from '../../../src/people/passwords/hash-queue.ts';

/** Work that ends on command, and records the order in which it began. */
function makeWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    named: (name: string) => () =>
      new Promise<string>((resolve) => {
        begun.push(name);
        ends.push(() => resolve(name));
      }),
    async endOne() {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('the queue of password hashing', () => {
  test('runs two at a time, first for signed-in people, then for known ones, then for strangers', async () => {
    const { run } = makeHashQueue();
    const work = makeWork();
    const done = [
      run('stranger', work.named('s1')),
      run('stranger', work.named('s2')),
      run('stranger', work.named('s3')),
      run('known', work.named('k1')),
      run('own', work.named('o1')),
    ];
    expect(work.begun).toEqual(['s1', 's2']);
    for (const order of [['o1'], ['o1', 'k1'], ['o1', 'k1', 's3']]) {
      await work.endOne();
      expect(work.begun.slice(2)).toEqual(order);
    }
    await work.endOne();
    await work.endOne();
    expect(await Promise.all(done)).toEqual(['s1', 's2', 's3', 'k1', 'o1']);
  });

  test('refuses strangers when full, later also known people, and never signed-in people', async () => {
    const { run } = makeHashQueue({ atOnce: 1, waitingMax: 2 });
    const work = makeWork();
    const done = ['1', '2', '3'].map((name) => run('stranger', work.named(name)));
    expect(await run('stranger', work.named('4'))).toBe('busy');
    done.push(run('known', work.named('k1')), run('known', work.named('k2')));
    expect(await run('known', work.named('k3'))).toBe('busy');
    done.push(...['o1', 'o2', 'o3', 'o4'].map((name) => run('own', work.named(name))));
    for (let count = 0; count < done.length; count += 1) await work.endOne();
    expect(await Promise.all(done)).toEqual(['1', '2', '3', 'k1', 'k2', 'o1', 'o2', 'o3', 'o4']);
  });

  test('bounds the work of strangers by a burst and a refill rate', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(5_000);
    const { run } = makeHashQueue({ strangers: { atOnce: 3, backMs: 1_000 } });
    const answers = async (lane: 'stranger' | 'known', count: number) => {
      const all: string[] = [];
      for (let one = 0; one < count; one += 1) all.push(await run(lane, async () => 'done'));
      return all;
    };
    // Two of them use the turns of a network without earlier tries.
    expect(await answers('stranger', 7)).toEqual([...Array(3 + 2).fill('done'), 'busy', 'busy']);
    expect(await answers('known', 5)).toEqual(Array(5).fill('done'));
    clock.mockReturnValue(6_000);
    expect(await answers('stranger', 2)).toEqual(['done', 'busy']);
    clock.mockReturnValue(1_000_000);
    expect(await answers('stranger', 4)).toEqual(['done', 'done', 'done', 'busy']);
  });

  test('keeps turns for networks with few tries, and each network has two in half an hour', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(5_000);
    const { run, isFull } = makeHashQueue({ strangers: { atOnce: 3, backMs: 1_000 } });
    const answers = async (count: number, networkOf: (n: number) => string) => {
      const all = Array.from({ length: count }, (_none, n) => run('stranger', async () => 'done', networkOf(n)));
      return (await Promise.all(all)).filter((is) => is === 'done').length;
    };
    expect(await answers(50, () => 'a')).toBe(3 + 2);
    expect([isFull('stranger', 'a'), isFull('stranger', 'b'), isFull('known')]).toEqual([true, false, false]);
    expect(await answers(1, () => 'b')).toBe(1);
    // A client with very many networks gets no more than the strangers’ rate.
    expect(await answers(50, (n) => `${n}`)).toBe(0);
    clock.mockReturnValue(6_000);
    expect(await answers(50, (n) => `${n}`)).toBe(1 + 1);
    clock.mockReturnValue(10_000);
    // The earlier networks have used up their turns, and a later one has not.
    expect(await answers(50, () => 'a')).toBe(3);
    expect(await answers(1, () => 'c')).toBe(1);
    clock.mockReturnValue(10_000 + 30 * 60_000);
    expect(await answers(50, () => 'a')).toBe(3 + 1);
  });

  test('continues after work that failed', async () => {
    const { run } = makeHashQueue({ atOnce: 1 });
    const failing = run('own', () => Promise.reject(new Error('no memory')));
    const next = run('own', () => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('no memory');
    expect(await next).toBe('done');
    expect(await run('stranger', () => Promise.resolve('again'))).toBe('again');
  });
});

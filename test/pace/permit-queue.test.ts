import { expect, onTestFinished, test, vi } from 'vitest';
import { type Grant, makePermitQueue } from '../../src/pace/permit-queue.ts';

const HOUR_MS = 3_600_000;
const blocked: Grant = { permits: 0, firstMs: HOUR_MS, betweenMs: 0, episode: 1, crowds: false, strict: false };
const open = (permits: number): Grant => ({
  permits,
  firstMs: 0,
  betweenMs: 0,
  episode: 2,
  crowds: false,
  strict: false,
});

/** A queue in fake time, and how many permits it asked for each time. */
function openQueue() {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let grant: (wanted: number) => Grant = () => blocked;
  const asked: number[] = [];
  const queue = makePermitQueue(
    async (wanted) => {
      asked.push(wanted);
      return grant(wanted);
    },
    () => {},
  );
  return {
    queue,
    asked,
    grantBy: (answer: typeof grant) => {
      grant = answer;
    },
  };
}

test('any number of waiting callers causes one question a second', async () => {
  const { queue, asked, grantBy } = openQueue();
  const callers = Array.from({ length: 500 }, () => queue.take(new AbortController().signal));
  await vi.advanceTimersByTimeAsync(HOUR_MS / 2);
  expect(asked.length).toBeGreaterThan(1_700);
  expect(asked.length).toBeLessThan(1_810);
  grantBy(open);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await Promise.all(callers)).every(({ episode }) => episode === 2)).toBe(true);
});

test('a caller that gives up during a block leaves at once, and the queue stops asking', async () => {
  const { queue, asked } = openQueue();
  const leaving = new AbortController();
  const left = expect(queue.take(leaving.signal)).rejects.toMatchObject({ code: 'STOPPED' });
  await vi.advanceTimersByTimeAsync(2_500);
  leaving.abort();
  await left;
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.length).toBe(before);
});

test('permits are given when they are due, in the order of the callers', async () => {
  const { queue, grantBy } = openQueue();
  grantBy((permits) => ({ permits, firstMs: 10, betweenMs: 5, episode: 3, crowds: false, strict: false }));
  const begunMs = performance.now();
  const { signal } = new AbortController();
  const leaving = new AbortController();
  const come: [number, number][] = [];
  const take = (caller: number, by: AbortSignal) =>
    queue.take(by).then(
      () => come.push([caller, performance.now() - begunMs]),
      () => {},
    );
  // The queue asks for the first permit alone, and for the following callers together.
  const callers = [take(0, signal), take(1, signal), take(2, leaving.signal), take(3, signal)];
  await vi.advanceTimersByTimeAsync(12);
  leaving.abort();
  await vi.advanceTimersByTimeAsync(100);
  await Promise.all(callers);
  expect(come).toEqual([
    [0, 10],
    [1, 10],
    [3, 20],
  ]);
});

test('recalled permits are granted again in the order of the callers', async () => {
  const { queue, grantBy, asked } = openQueue();
  grantBy((permits) => ({ permits, firstMs: 500, betweenMs: 100, episode: 1, crowds: false, strict: false }));
  const { signal } = new AbortController();
  const come: number[] = [];
  const callers = [0, 1, 2, 3].map((caller) =>
    queue.take(signal).then(({ episode }) => come.push(caller * 10 + episode)),
  );
  await vi.advanceTimersByTimeAsync(450);
  grantBy((permits) => ({ permits, firstMs: 0, betweenMs: 1, episode: 2, crowds: false, strict: false }));
  queue.recall();
  await vi.advanceTimersByTimeAsync(100);
  await Promise.all(callers);
  expect(come).toEqual([2, 12, 22, 32]);
  expect(asked.at(-1)).toBe(4);
});

test('a permit from before a limit was met is lost if its call has not left', async () => {
  const { queue, grantBy } = openQueue();
  grantBy(open);
  const permit = await queue.take(new AbortController().signal);
  expect([permit.isLost(), permit.leave()]).toEqual([false, true]);
  queue.begins(3);
  expect([permit.isLost(), permit.leave()]).toEqual([true, false]);
});

test('a newly granted permit is valid even if another server has forgotten the last episodes', async () => {
  const { queue, grantBy } = openQueue();
  grantBy(open);
  queue.begins(9);
  const permit = await queue.take(new AbortController().signal);
  expect([permit.isLost(), permit.leave()]).toEqual([false, true]);
});

test('a permit that is used late is lost, unless all permits are late for a second', async () => {
  const { queue, grantBy } = openQueue();
  grantBy((permits) => ({ ...open(permits), crowds: true }));
  const take = async () => {
    const permit = queue.take(new AbortController().signal);
    await vi.advanceTimersByTimeAsync(10);
    return permit;
  };
  const [prompt, late] = [await take(), await take()];
  await vi.advanceTimersByTimeAsync(50);
  expect(prompt.leave()).toBe(true);
  await vi.advanceTimersByTimeAsync(150);
  expect(late.leave()).toBe(false);
  const later = await take();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(later.leave()).toBe(true);
});

test('spare permits are ready for the next callers for a moment, and are dropped when calls stop', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const asked: number[] = [];
  const queue = makePermitQueue(
    async (wanted) => {
      asked.push(wanted);
      return open(wanted);
    },
    () => {},
    () => 4,
  );
  const first = queue.take(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(10);
  expect((await first).episode).toBe(2);
  expect(asked).toEqual([5]);
  expect([queue.takeNow(), queue.takeNow()].map((permit) => permit?.episode)).toEqual([2, 2]);
  expect(asked).toEqual([5]);
  // The third one leaves fewer than half, so the queue asks for more.
  expect(queue.takeNow()?.episode).toBe(2);
  await vi.advanceTimersByTimeAsync(10);
  expect(asked).toEqual([5, 4]);
  queue.recall();
  expect(queue.takeNow()).toBeUndefined();
});

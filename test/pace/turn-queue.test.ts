import { expect, onTestFinished, test, vi } from 'vitest';
import { type Grant, makeTurnQueue } from '../../src/pace/turn-queue.ts';

const HOUR_MS = 3_600_000;
const blocked: Grant = { turns: 0, firstMs: HOUR_MS, betweenMs: 0, episode: 1, crowds: true, strict: false };
const open = (turns: number): Grant => ({ turns, firstMs: 0, betweenMs: 0, episode: 2, crowds: true, strict: false });

/** A queue in a time that passes when the test says so, and how often it has asked. */
function openQueue() {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let grant: (wanted: number) => Grant = () => blocked;
  const asked: number[] = [];
  const queue = makeTurnQueue(
    async (wanted) => {
      asked.push(wanted);
      return grant(wanted);
    },
    () => {},
  );
  return {
    queue,
    asked,
    end: () => {
      grant = open;
    },
  };
}

test('however many callers wait, and however long, one question a second is asked for all of them', async () => {
  const { queue, asked, end } = openQueue();
  const callers = Array.from({ length: 500 }, () => queue.take(new AbortController().signal));
  await vi.advanceTimersByTimeAsync(HOUR_MS / 2);
  expect(asked.length).toBeGreaterThan(1_700);
  expect(asked.length).toBeLessThan(1_810);
  end();
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await Promise.all(callers)).every(({ episode }) => episode === 2)).toBe(true);
});

test('a caller who gives up during a block leaves at once, and nobody asks for a turn any more', async () => {
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

test('a turn from before the limit was met is lost to a call that has not left', async () => {
  const { queue, end } = openQueue();
  end();
  const turn = await queue.take(new AbortController().signal);
  expect([turn.isLost(), turn.leave()]).toEqual([false, true]);
  queue.begins(3);
  expect([turn.isLost(), turn.leave()]).toEqual([true, false]);
});

test('a turn that is used late is lost, since it would crowd; where all are late for a second, none is', async () => {
  const { queue, end } = openQueue();
  end();
  const take = () => queue.take(new AbortController().signal);
  const [prompt, late] = await Promise.all([take(), take()]);
  await vi.advanceTimersByTimeAsync(50);
  expect(prompt.leave()).toBe(true);
  await vi.advanceTimersByTimeAsync(150);
  expect(late.leave()).toBe(false);
  const later = await take();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(later.leave()).toBe(true);
});

import { describe, expect, test } from 'vitest';
import { makeSlots, type Slots } from '../../src/pace/slots.ts';

const never = new AbortController().signal;

test('slots let in the allowed number of calls, in the order of arrival', async () => {
  const slots = makeSlots(2);
  const first = await slots.take(never);
  await slots.take(never);
  const order: string[] = [];
  const third = slots.take(never).then(() => order.push('third'));
  const fourth = slots.take(never).then((giveBack) => {
    order.push('fourth');
    return giveBack;
  });
  expect(slots.inFlight()).toBe(2);
  first();
  await third;
  expect(order).toEqual(['third']);
  expect(slots.inFlight()).toBe(2);
  void fourth;
});

test('a wait for a slot ends when the process stops, and its place goes to the next caller', async () => {
  const slots = makeSlots(1);
  const giveBack = await slots.take(never);
  const stop = new AbortController();
  const leaving = slots.take(stop.signal);
  const staying = slots.take(never);
  stop.abort();
  await expect(leaving).rejects.toMatchObject({ code: 'STOPPED' });
  giveBack();
  await staying;
  expect(slots.inFlight()).toBe(1);
});

test('slots refuse callers after the process has begun to stop', async () => {
  await expect(makeSlots(1).take(AbortSignal.abort())).rejects.toMatchObject({ code: 'STOPPED' });
});

describe('latency', () => {
  const fill = async (slots: Slots): Promise<void> => {
    while (slots.inFlight() < slots.allowed()) await slots.take(never);
  };
  const answer = async (slots: Slots, latencyMs: number, answers: number): Promise<void> => {
    for (let n = 0; n < answers; n += 1) {
      slots.answeredAfter(latencyMs, 'company');
      await fill(slots);
    }
  };

  test('that is steady lets the slots grow to the maximum', async () => {
    const slots = makeSlots(32);
    expect(slots.allowed()).toBeLessThan(32);
    await fill(slots);
    await answer(slots, 200, 200);
    expect(slots.allowed()).toBe(32);
  });

  test('that rises reduces the slots, but not below two', async () => {
    const slots = makeSlots(32);
    await fill(slots);
    await answer(slots, 40, 100);
    let fewest = slots.allowed();
    for (let n = 0; n < 60; n += 1) {
      slots.answeredAfter(2_000, 'company');
      fewest = Math.min(fewest, slots.allowed());
    }
    expect(fewest).toBeLessThan(32);
    expect(fewest).toBeGreaterThanOrEqual(2);
  });

  test('is compared only between calls of one kind, and one slow answer does not count', async () => {
    const slots = makeSlots(32);
    await fill(slots);
    await answer(slots, 20, 100);
    slots.answeredAfter(3_000, 'limit');
    slots.answeredAfter(300, 'company');
    expect(slots.allowed()).toBe(32);
  });

  test('of a failed call is unknown, so its slot is removed until other calls are answered', async () => {
    const slots = makeSlots(32);
    await fill(slots);
    await answer(slots, 40, 100);
    expect(slots.allowed()).toBe(32);
    slots.failed(false);
    expect(slots.allowed()).toBe(31);
    slots.failed(true);
    expect(slots.allowed()).toBeLessThanOrEqual(4);
    await answer(slots, 200, 100);
    expect(slots.allowed()).toBe(32);
  });

  test('does not add slots while the present ones are not used', () => {
    const slots = makeSlots(32);
    const before = slots.allowed();
    for (let n = 0; n < 100; n += 1) slots.answeredAfter(5, 'company');
    expect(slots.allowed()).toBe(before);
  });
});

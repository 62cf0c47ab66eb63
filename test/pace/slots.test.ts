import { expect, test } from 'vitest';
import { makeSlots } from '../../src/pace/slots.ts';

const never = new AbortController().signal;

test('lets so many in and no more, in the order in which they came', async () => {
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

test('a wait ends when the process stops, and its place goes to the next', async () => {
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

test('takes nobody in after the process has begun to stop', async () => {
  await expect(makeSlots(1).take(AbortSignal.abort())).rejects.toMatchObject({ code: 'STOPPED' });
});

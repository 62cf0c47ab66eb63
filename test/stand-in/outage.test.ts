import { expect, test } from 'vitest';
import { type Caller, openStandIn, until } from '../support/service-caller.ts';

/** Repeats the call, because an idle connection of the client may end a moment later. */
const isRefused = (caller: Caller) =>
  until(() => expect(caller.askToken()).rejects.toMatchObject({ code: 'ECONNREFUSED' }));

test('an outage refuses connections until the faults change, and then the same port is open again', async () => {
  const { standIn, caller } = await openStandIn();
  const url = standIn.url();
  const company = await caller.company();
  await standIn.setFaults({ outage: { how: 'refuse' } });
  await isRefused(caller);
  await standIn.setFaults({ latencyMs: 0 });
  await isRefused(caller);
  await standIn.setFaults({ outage: null });
  expect(standIn.url()).toBe(url);
  expect((await caller.post('limit', { company, requested_limit: 1 })).status).toBe(201);
});

test('an outage ends the open connections when it begins', async () => {
  const { standIn, caller } = await openStandIn({ faults: { rules: [{ on: 'limit', fault: 'silence' }] } });
  const company = await caller.company();
  const waiting = expect(caller.post('limit', { company, requested_limit: 1 })).rejects.toThrow();
  await until(() => expect(standIn.counts().requests.limit).toEqual({ silence: 1 }));
  await standIn.setFaults({ outage: { how: 'refuse' } });
  await waiting;
});

test.each(['refuse', '503'] as const)('an outage with %s ends after its duration', async (how) => {
  const { standIn, caller } = await openStandIn();
  await standIn.setFaults({ outage: { how, forMs: 30 } });
  // Another change must not extend it.
  await standIn.setFaults({ latencyMs: 1 });
  await until(async () => expect((await caller.askToken()).status).toBe(200));
  expect(standIn.faults()).toMatchObject({ outage: null, latencyMs: 1 });
});

test('an outage with 503 answers everything with 503 while the port stays open', async () => {
  const { standIn, caller } = await openStandIn();
  await caller.company();
  await standIn.setFaults({ outage: { how: '503' } });
  expect((await caller.askToken()).status).toBe(503);
  expect((await caller.post('company', { name: 'B' })).status).toBe(503);
  expect(standIn.counts().made.company).toBe(1);
  await standIn.setFaults({ outage: null });
  expect((await caller.askToken()).status).toBe(200);
});

test('after several quick changes, the port is in the state of the last one', async () => {
  const { standIn, caller } = await openStandIn();
  await Promise.all(
    [{ how: 'refuse' } as const, null, { how: 'refuse' } as const, null].map((outage) => standIn.setFaults({ outage })),
  );
  expect((await caller.askToken()).status).toBe(200);
});

test('an outage may begin at the start, and begins again after a reset', async () => {
  const { standIn, caller } = await openStandIn({ faults: { outage: { how: 'refuse' } } });
  await isRefused(caller);
  await standIn.setFaults({ outage: null });
  expect((await caller.askToken()).status).toBe(200);
  await standIn.reset();
  await isRefused(caller);
});

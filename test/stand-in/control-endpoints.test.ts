import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { makeCaller, openStandIn, until } from '../support/service-caller.ts';

test('faults can be set over HTTP, and their hits are reported', async () => {
  const { standIn, caller } = await openStandIn({ faults: { latencyMs: 1 } });
  const rules = [{ on: 'company', fault: 'status', status: 500, times: 1 }];
  const answer = await caller.control('faults', { rules });
  expect(answer.status).toBe(200);
  expect(answer.json()).toMatchObject({ settings: { latencyMs: 1, rules }, hits: [0] });
  expect((await caller.post('company', { name: 'A' })).status).toBe(500);
  expect((await caller.control('faults')).json()).toMatchObject({ settings: { rules }, hits: [1] });
  expect(standIn.faultHits()).toEqual([1]);
});

test.each([
  [{ rules: [{ on: 'limit', fault: 'explode' }] }, 'rules.0.fault'],
  [{ rule: [] }, 'rule'],
  [{ outage: { how: 'refuse' } }, 'forMs'],
])('%j is refused and changes nothing', async (change, why) => {
  const { standIn, caller } = await openStandIn();
  const before = standIn.faults();
  const { status, json } = await caller.control('faults', change);
  expect(status).toBe(422);
  expect(json().message).toContain(why);
  expect(standIn.faults()).toEqual(before);
});

test('a request for an outage is answered before the port closes for its duration', async () => {
  const { standIn, caller } = await openStandIn();
  expect((await caller.control('faults', { outage: { how: 'refuse', forMs: 600 } })).status).toBe(200);
  await until(() => expect(caller.askToken()).rejects.toMatchObject({ code: 'ECONNREFUSED' }));
  await until(async () => expect((await caller.askToken()).status).toBe(200));
  expect(standIn.faults().outage).toBeNull();
});

test('/made reports everything made, /reset forgets it, and neither request is counted', async () => {
  const { caller } = await openStandIn({ faults: { latencyMs: 1 } });
  await caller.company('A');
  await caller.company('A');
  await caller.control('faults', { latencyMs: 2 });
  const made = (await caller.control('made')).json();
  expect(made).toMatchObject({
    requests: { token: { 200: 1 }, company: { 201: 2 }, other: {} },
    made: { company: 2, document: 0, limit: 0 },
    madeTwice: [{ kind: 'company', what: 'A / no country', times: 2 }],
    times: { company: { 'A / no country': 2 } },
    maxInFlight: 1,
  });
  const after = (await caller.control('reset')).json();
  expect(after).toMatchObject({ requests: { company: {} }, made: { company: 0 }, madeTwice: [], maxPerSecond: 0 });
  expect((await caller.control('faults')).json().settings.latencyMs).toBe(1);
});

const otherAddress = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

test.runIf(otherAddress)('the control endpoints only answer requests from this machine', async () => {
  const { standIn } = await openStandIn({ host: '0.0.0.0' });
  const { port } = new URL(standIn.url());
  const outside = makeCaller(`http://${otherAddress}:${port}`);
  expect((await outside.control('made')).status).toBe(403);
  expect((await outside.control('faults', { latencyMs: 9 })).status).toBe(403);
  expect((await makeCaller(`http://127.0.0.1:${port}`).control('made')).status).toBe(200);
});

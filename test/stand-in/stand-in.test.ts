import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { makeSilentLog } from '../../src/log.ts';
import { makeStandIn } from '../../src/stand-in/stand-in.ts';
import { documentBody, openStandIn, until } from '../support/service-caller.ts';

test('a stand-in knows the ids of another one with the same secret, but not its tokens', async () => {
  const { caller: first } = await openStandIn();
  const { caller: second } = await openStandIn();
  const company = await first.company();
  const paper = (await first.post('document', documentBody('a'))).json().id;
  const body = { company, requested_limit: 5, supporting_documents: [paper] };
  expect((await second.post('limit', body)).status).toBe(201);
  const { authorization } = await first.headersOf();
  expect((await second.post('limit', body, { authorization })).status).toBe(401);
  const { caller: stranger } = await openStandIn({ credentials: { ...STAND_IN_CREDENTIALS, clientSecret: 'other' } });
  const { access_token } = (await stranger.askToken({ client_secret: 'other' })).json();
  expect((await stranger.post('limit', body, { authorization: `Bearer ${access_token}` })).status).toBe(422);
});

test('close ends waiting and silent connections at once', async () => {
  const { standIn, caller } = await openStandIn({ faults: { rules: [{ on: 'company', fault: 'silence' }] } });
  const waiting = expect(caller.post('company', { name: 'A' })).rejects.toThrow();
  await until(() => expect(standIn.counts().requests.company).toEqual({ silence: 1 }));
  const mute = connect({ host: '127.0.0.1', port: Number(new URL(standIn.url()).port) });
  await once(mute, 'connect');
  const ended = once(
    mute.on('error', () => {}),
    'close',
  );
  await standIn.close();
  await Promise.all([waiting, ended]);
  await expect(caller.askToken()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a request that is delayed by latency is made even when its client disconnects', async () => {
  const { standIn, caller } = await openStandIn();
  await caller.company();
  await standIn.reset();
  // Longer than a busy machine may need to notice the request and to disconnect.
  await standIn.setFaults({ latencyMs: 2_000 });
  const abandoned = caller.post('company', { name: 'B' }).catch(() => {});
  await until(() => expect(standIn.maxInFlight()).toBe(1));
  await caller.close();
  await abandoned;
  await until(() => expect(standIn.counts().requests.company).toEqual({ 'client gone': 1 }));
  expect(standIn.counts().made.company).toBe(1);
});

test('a port in use is reported in one sentence', async () => {
  const { standIn } = await openStandIn();
  const port = Number(new URL(standIn.url()).port);
  const second = makeStandIn({ port, credentials: STAND_IN_CREDENTIALS, log: makeSilentLog() });
  await expect(second.start()).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(new RegExp(`127.0.0.1:${port}: .*EADDRINUSE.*; give another port`)),
  });
  await second.close();
});

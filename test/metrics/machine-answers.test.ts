import { describe, expect, test } from 'vitest';
import { type MachineQuestion, makeMachineAnswers, type Readiness } from '../../src/metrics/machine-answers.ts';

const TOKEN = 'a-token-of-some-length';

function ask(question: Partial<MachineQuestion>, { token, ready }: { token?: string; ready?: Readiness } = {}) {
  const answer = makeMachineAnswers({
    token,
    ready: async () => ready ?? { ready: true },
    metrics: async () => 'figures',
  });
  return answer({ path: '/metrics', remoteAddress: '127.0.0.1', headers: { host: 'localhost:3000' }, ...question });
}

describe('metrics', () => {
  const host = 'localhost:3000';
  const bearer = (token: string) => ({ host, authorization: `Bearer ${token}` });
  // Promise: figures-for-machine-or-token
  test.each<[string, Partial<MachineQuestion>, string | undefined, number]>([
    ['this machine', {}, undefined, 200],
    ['this machine by IPv6', { remoteAddress: '::1', headers: { host: '[::1]:3000' } }, undefined, 200],
    ['this machine by an IPv4-mapped address', { remoteAddress: '::ffff:127.0.0.1' }, undefined, 200],
    ['another machine', { remoteAddress: '10.0.0.8' }, undefined, 403],
    ['an unknown address', { remoteAddress: undefined }, undefined, 403],
    [
      'a page in a browser on this machine, under another host name',
      { headers: { host: 'evil.example:3000' } },
      undefined,
      403,
    ],
    ['a host name that begins like localhost', { headers: { host: 'localhost.evil.example' } }, undefined, 403],
    ['a proxy on this machine', { headers: { host, 'x-forwarded-for': '10.0.0.8' } }, undefined, 403],
    [
      'a proxy on this machine with the header Forwarded',
      { headers: { host, forwarded: 'for=10.0.0.8' } },
      undefined,
      403,
    ],
    ['another machine with the token', { remoteAddress: '10.0.0.8', headers: bearer(TOKEN) }, TOKEN, 200],
    ['another machine with another token', { remoteAddress: '10.0.0.8', headers: bearer('wrong') }, TOKEN, 401],
    ['this machine with another token', { headers: bearer('wrong') }, TOKEN, 401],
    ['this machine with a token when none is set', { headers: bearer('') }, undefined, 403],
    ['another machine without the token', { remoteAddress: '10.0.0.8' }, TOKEN, 401],
  ])('are returned or refused for %s', async (_who, question, token, status) => {
    const answer = await ask(question, token === undefined ? {} : { token });
    expect(answer?.status).toBe(status);
    if (status !== 200) expect(answer?.body).not.toContain('figures');
  });
});

test('health checks are answered for everybody, with the reason when not ready', async () => {
  const far = { remoteAddress: '10.0.0.8', headers: { host: 'work.example' } };
  expect(await ask({ path: '/health/live', ...far })).toMatchObject({ status: 200, body: '{"status":"live"}\n' });
  expect(await ask({ path: '/health/ready', ...far })).toMatchObject({ status: 200 });
  const ready = { ready: false, why: 'Redis does not answer.' } as const;
  const bad = await ask({ path: '/health/ready', ...far }, { ready });
  expect(bad).toMatchObject({ status: 503, body: '{"status":"not ready","why":"Redis does not answer."}\n' });
});

test('other paths are not answered', async () => {
  expect(await ask({ path: '/' })).toBeUndefined();
  expect(await ask({ path: '/metrics/more' })).toBeUndefined();
});

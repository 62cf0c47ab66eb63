import { beforeAll, describe, expect, test } from 'vitest';
import { meaningOf } from '../../src/service/answer-meaning.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { callOptions } from '../support/client.ts';
import type { ProxyFault } from '../support/forward-proxy.ts';
import {
  company,
  openOutlet,
  openProxied,
  PATIENT_MS,
  somePost,
  trustCertificate,
} from '../support/proxied-service.ts';

beforeAll(trustCertificate);

/** A short time limit for calls that get no answer. */
const SHORT_MS = 300;
/** Short, and longer than one answer on a busy machine. */
const MIDDLE_MS = 1_500;

/** Faults before anything was sent: the call waits and may be sent again. */
const UNREACHABLE: [name: string, fault: ProxyFault][] = [
  ['CONNECT refused with 403', { is: 'answers', status: 403 }],
  ['CONNECT refused with 502', { is: 'answers', status: 502 }],
  ['CONNECT redirected', { is: 'answers', status: 302 }],
  ['the connection closed instead of an answer to CONNECT', { is: 'ends', by: 'fin' }],
  ['the connection reset instead of an answer to CONNECT', { is: 'ends', by: 'rst' }],
  ['an answer to CONNECT that is not HTTP', { is: 'babbles' }],
  ['a tunnel that is cut before TLS speaks', { is: 'tunnels nowhere' }],
];

describe('a call through a tunnel', () => {
  test.each(UNREACHABLE)('is unreachable after: %s', async (_name, fault) => {
    const { standIn, proxy, client, authorize } = await openProxied({ tls: true });
    await authorize();
    proxy.setFault(fault);
    expect(await client().createCompany(company, callOptions())).toMatchObject({ is: 'unreachable' });
    expect(standIn.counts().requests.company).toEqual({});
  });

  test('is unreachable when the proxy does not exist', async () => {
    const { proxy, client, authorize } = await openProxied({ tls: true });
    await authorize();
    proxy.stop();
    const answer = await client().createCompany(company, callOptions());
    expect(answer).toMatchObject({ is: 'unreachable', reason: expect.stringContaining(`the proxy ${proxy.url}`) });
  });

  test('is unreachable when the certificate is for another name', async () => {
    const { standIn, proxy } = await openProxied({ tls: true });
    const outlet = openOutlet('https://another.test', proxy);
    const heard = await outlet.send(somePost());
    expect(meaningOf('company', heard)).toMatchObject({ is: 'unreachable' });
    expect(standIn.counts().requests.other).toEqual({});
  });

  test('is unreachable when the proxy does not answer CONNECT in time', async () => {
    const { proxy, url } = await openProxied({ tls: true });
    proxy.setFault({ is: 'silent' });
    const heard = await openOutlet(url, proxy, 100).send(somePost());
    expect(meaningOf('company', heard)).toMatchObject({
      is: 'unreachable',
      reason: expect.stringMatching(/no answer to CONNECT within 100 ms/),
    });
  });

  test.each<[string, FaultChange, number]>([
    ['before the answer', { rules: [{ on: 'company', fault: 'silence', made: true }] }, 1],
    ['in the middle of the answer', { rules: [{ on: 'company', fault: 'slow', bytesPerS: 0 }] }, 1],
  ])('that is cut %s has an unknown outcome', async (_name, faults, made) => {
    const { standIn, proxy, client, authorize } = await openProxied({ tls: true, faults });
    await authorize();
    const answer = client().createCompany(company, callOptions());
    await expect.poll(() => standIn.counts().made.company).toBe(1);
    proxy.cut();
    expect(await answer).toMatchObject({ is: 'unknown' });
    expect(standIn.counts().made.company).toBe(made);
  });

  test('that is cut after it was sent and before it arrived has an unknown outcome', async () => {
    const { standIn, proxy, client } = await openProxied({ tls: true });
    const caller = client();
    await caller.authorize(() => {});
    proxy.setFault({ is: 'swallows' });
    const answer = caller.createCompany(company, callOptions());
    await expect.poll(() => proxy.heard.swallowedBytes).toBeGreaterThan(0);
    proxy.cut();
    expect(await answer).toMatchObject({ is: 'unknown' });
    expect(standIn.counts().made.company).toBe(0);
  });

  test('that the proxy swallows has an unknown outcome after its time limit', async () => {
    const { proxy, client } = await openProxied({ tls: true });
    const caller = client({ timeoutMs: MIDDLE_MS });
    await caller.authorize(() => {});
    proxy.setFault({ is: 'swallows' });
    const answer = await caller.createCompany(company, callOptions());
    expect(answer).toMatchObject({ is: 'unknown', reason: expect.stringContaining(`within ${MIDDLE_MS} ms`) });
  });

  test('has a time limit that begins when it is sent, not while the tunnel is made', async () => {
    const { proxy, client, authorize } = await openProxied({ tls: true });
    await authorize();
    proxy.setFault({ is: 'tunnels late', afterMs: MIDDLE_MS + 100 });
    expect(await client({ timeoutMs: MIDDLE_MS }).createCompany(company, callOptions())).toMatchObject({ is: 'made' });
  });

  test('succeeds after its idle tunnel was cut', async () => {
    const { proxy, client } = await openProxied({ tls: true });
    const caller = client();
    await caller.createCompany(company, callOptions());
    const before = proxy.heard.connects.length;
    proxy.cut();
    await expect.poll(async () => (await caller.createCompany(company, callOptions())).is).toBe('made');
    expect(proxy.heard.connects.length).toBeGreaterThan(before);
  });

  test('may be refused by the service with 407, like with any other status', async () => {
    const faults: FaultChange = { rules: [{ on: 'company', fault: 'status', status: 407 }] };
    const { client } = await openProxied({ tls: true, faults });
    expect(await client().createCompany(company, callOptions())).toMatchObject({ is: 'refused', status: 407 });
  });
});

describe('a call that the proxy forwards', () => {
  test.each<[string, ProxyFault, string, number]>([
    ['502 of the proxy', { is: 'answers', status: 502 }, 'unknown', 0],
    ['504 of the proxy', { is: 'answers', status: 504 }, 'unknown', 0],
    ['a page of the proxy', { is: 'answers', status: 200, body: '<html>Sign in' }, 'unknown', 0],
    ['403 of the proxy', { is: 'answers', status: 403 }, 'refused', 0],
    ['closed by the proxy', { is: 'ends', by: 'fin' }, 'unknown', 0],
    ['reset by the proxy', { is: 'ends', by: 'rst' }, 'unknown', 0],
    ['an answer that is not HTTP', { is: 'babbles' }, 'unknown', 0],
    ['no answer', { is: 'silent' }, 'unknown', 0],
    ['swallowed', { is: 'swallows' }, 'unknown', 0],
    ['cut before the answer', { is: 'loses answers', after: 'nothing' }, 'unknown', 1],
    ['cut in the middle of the answer', { is: 'loses answers', after: 'half' }, 'unknown', 1],
  ])('has the right meaning after: %s', async (_name, fault, meaning, made) => {
    const { standIn, proxy, client, authorize } = await openProxied({ tls: false });
    await authorize();
    proxy.setFault(fault);
    const timeoutMs = fault.is === 'silent' || fault.is === 'swallows' ? SHORT_MS : PATIENT_MS;
    expect(await client({ timeoutMs }).createCompany(company, callOptions())).toMatchObject({ is: meaning });
    expect(standIn.counts().made.company).toBe(made);
  });

  test('is unreachable when the forwarding proxy does not exist', async () => {
    const { proxy, client, authorize } = await openProxied({ tls: false });
    await authorize();
    proxy.stop();
    expect(await client().createCompany(company, callOptions())).toMatchObject({ is: 'unreachable' });
  });
});
test.each([true, false])(
  'calls that count as unreachable never arrive, however connections are cut (https: %s)',
  async (tls) => {
    const { standIn, proxy, client, authorize } = await openProxied({ tls, faults: { latencyMs: [0, 4] } });
    await authorize();
    const [caller, names, heard] = [
      client(),
      Array.from({ length: 300 }, (_, n) => `Buyer ${n}`),
      new Map<string, string>(),
    ];
    const callAll = async (): Promise<void> => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        // Connections are cut at all moments of a call, and some calls are not cut.
        if (names.length % 6 === 0) setTimeout(proxy.cut, names.length % 8);
        heard.set(name, (await caller.createCompany({ ...company, name }, callOptions())).is);
      }
    };
    await Promise.all([callAll(), callAll(), callAll()]);
    const made = standIn.things('company').map(({ body }) => String(Reflect.get(Object(body), 'name')));
    expect(new Set(made).size).toBe(made.length);
    expect(made.filter((name) => heard.get(name) === 'unreachable')).toEqual([]);
    expect([...heard].filter(([name, meaning]) => meaning === 'made' && !made.includes(name))).toEqual([]);
    expect(new Set(heard.values())).toContain('made');
    expect(new Set(heard.values())).toContain('unknown');
  },
);

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { messageOf } from '../../src/errors.ts';
import { chooseProxy } from '../../src/proxy.ts';
import type { FaultChange } from '../../src/sandbox/fault-settings.ts';
import { meaningOf } from '../../src/service/meaning.ts';
import { makeOutlet } from '../../src/service/outlet.ts';
import { callOptions, makeClient } from '../support/client.ts';
import { type ProxyFault, type StartedProxy, startForwardProxy } from '../support/forward-proxy.ts';
import { startStandIn } from '../support/stand-in.ts';
import { CERTIFICATE_PATH, startTlsService, TLS_HOST, TLS_KEY_PATH } from '../support/tls-service.ts';
import { makeFolder } from '../support/workplace.ts';

const company = { name: 'Muster GmbH', address: { country_code: 'DE', state: null } };

beforeAll(() => {
  setDefaultCACertificates([...getCACertificates(), readFileSync(CERTIFICATE_PATH, 'utf8')]);
});

/** Longer than any answer takes on a busy machine. */
const PATIENT_MS = 20_000;
/** Soon over where no answer will come. */
const SHORT_MS = 300;
/** Soon over, and longer than one answer takes on a busy machine. */
const MIDDLE_MS = 1_500;

/** A stand-in, with TLS in front or not, that is reached through a proxy alone; and a token that all clients share. */
async function openPlace({ tls, faults = {}, user }: { tls: boolean; faults?: FaultChange; user?: string }) {
  const standIn = await startStandIn(faults);
  const standInPort = Number(new URL(standIn.url()).port);
  const targetPort = tls ? await startTlsService(standInPort) : standInPort;
  const proxy = await startForwardProxy({ targetPort, ...(user === undefined ? {} : { user }) });
  const url = `${tls ? 'https' : 'http'}://${TLS_HOST}`;
  const tokenKey = `token-${Math.random()}`;
  const client = ({ address = proxy.url, timeoutMs = PATIENT_MS } = {}) => {
    const chosen = chooseProxy(url, { HTTPS_PROXY: address, HTTP_PROXY: address });
    return makeClient(url, { proxy: chosen, tokenKey, timeoutMs });
  };
  return { standIn, proxy, url, client, authorize: () => client().authorize(() => {}) };
}

test.each([true, false])('every call goes through the proxy (https: %s), which resolves the name', async (tls) => {
  const { standIn, proxy, url, client } = await openPlace({ tls });
  const dir = await makeFolder();
  const content = `%PDF-1.4 ${'x'.repeat(400_000)}`;
  await writeFile(join(dir, 'a.pdf'), content);
  const caller = client();
  const buyer = await caller.createCompany(company, callOptions());
  const document = await caller.uploadDocument(
    { path: join(dir, 'a.pdf'), sizeBytes: content.length, name: 'a.pdf', mediaType: 'application/pdf' },
    callOptions(),
  );
  if (buyer.meaning !== 'made' || document.meaning !== 'made') throw new Error('neither was made');
  const body = { company: buyer.id, requested_limit: 1000.5, supporting_documents: [document.id] };
  expect(await caller.requestLimit(body, callOptions())).toMatchObject({ meaning: 'made' });
  expect(standIn.counts().made).toEqual({ company: 1, document: 1, limit: 1 });
  // Tunnels are kept open, so there are fewer of them than calls.
  if (tls) expect(new Set(proxy.heard.connects)).toEqual(new Set([`${TLS_HOST}:443`]));
  if (tls) expect(proxy.heard.connects.length).toBeLessThan(4);
  else expect(proxy.heard).toMatchObject({ connects: [], forwarded: expect.arrayContaining([`${url}/v1/auth/token`]) });
});

test.each([true, false])('a proxy may be spoken to by TLS itself (https service: %s)', async (tls) => {
  const { standIn, proxy, client } = await openPlace({ tls, user: 'anna:geheim' });
  const address = `https://anna:geheim@localhost:${await startTlsService(proxy.port)}`;
  expect(await client({ address }).createCompany(company, callOptions())).toMatchObject({ meaning: 'made' });
  expect(standIn.counts().made.company).toBe(1);
});

test('no more tunnels are open at once than connections are allowed', async () => {
  const { standIn, proxy, client } = await openPlace({ tls: true, faults: { latencyMs: 20 } });
  const caller = client();
  await Promise.all(Array.from({ length: 16 }, () => caller.createCompany(company, callOptions())));
  expect(standIn.counts().made.company).toBe(16);
  expect(proxy.heard.connects.length).toBeLessThanOrEqual(4);
});

/** What cannot have left: the call waits with the line, and may be sent again. */
const UNREACHABLE: [name: string, fault: ProxyFault][] = [
  ['CONNECT refused with 403', { is: 'answers', status: 403 }],
  ['CONNECT refused with 502', { is: 'answers', status: 502 }],
  ['CONNECT redirected', { is: 'answers', status: 302 }],
  ['the connection closed instead of an answer to CONNECT', { is: 'ends', by: 'fin' }],
  ['the connection reset instead of an answer to CONNECT', { is: 'ends', by: 'rst' }],
  ['an answer to CONNECT that is not HTTP', { is: 'babbles' }],
  ['a tunnel that is cut before TLS speaks', { is: 'tunnels nowhere' }],
];

describe('through a tunnel', () => {
  test.each(UNREACHABLE)('%s means that nothing left', async (_name, fault) => {
    const { standIn, proxy, client, authorize } = await openPlace({ tls: true });
    await authorize();
    proxy.setFault(fault);
    expect(await client().createCompany(company, callOptions())).toMatchObject({ meaning: 'unreachable' });
    expect(standIn.counts().requests.company).toEqual({});
  });

  test('a proxy that is not there means that nothing left', async () => {
    const { proxy, client, authorize } = await openPlace({ tls: true });
    await authorize();
    proxy.stop();
    const answer = await client().createCompany(company, callOptions());
    expect(answer).toMatchObject({ meaning: 'unreachable', heard: expect.stringContaining(`the proxy ${proxy.url}`) });
  });

  test('a certificate for another name means that nothing left', async () => {
    const { standIn, proxy } = await openPlace({ tls: true });
    const outlet = openOutlet('https://another.test', proxy);
    const heard = await outlet.send(somePost());
    expect(meaningOf('company', heard)).toMatchObject({ meaning: 'unreachable' });
    expect(standIn.counts().requests.other).toEqual({});
  });

  test('a proxy, or the service behind it, that never answers is given up, and nothing left', async () => {
    const { proxy, url } = await openPlace({ tls: true });
    proxy.setFault({ is: 'silent' });
    const heard = await openOutlet(url, proxy, 100).send(somePost());
    expect(meaningOf('company', heard)).toMatchObject({
      meaning: 'unreachable',
      heard: expect.stringMatching(/no answer to CONNECT within 100 ms/),
    });
  });

  test.each<[string, FaultChange, number]>([
    ['before the answer', { rules: [{ on: 'company', fault: 'silence', made: true }] }, 1],
    ['in the middle of the answer', { rules: [{ on: 'company', fault: 'slow', bytesPerS: 0 }] }, 1],
  ])('cut %s, the outcome is unknown', async (_name, faults, made) => {
    const { standIn, proxy, client, authorize } = await openPlace({ tls: true, faults });
    await authorize();
    const answer = client().createCompany(company, callOptions());
    await expect.poll(() => standIn.counts().made.company).toBe(1);
    proxy.cut();
    expect(await answer).toMatchObject({ meaning: 'unknown' });
    expect(standIn.counts().made.company).toBe(made);
  });

  test('cut when the call has left and has not arrived, the outcome is unknown', async () => {
    const { standIn, proxy, client } = await openPlace({ tls: true });
    const caller = client();
    await caller.authorize(() => {});
    proxy.setFault({ is: 'swallows' });
    const answer = caller.createCompany(company, callOptions());
    await expect.poll(() => proxy.heard.swallowedBytes).toBeGreaterThan(0);
    proxy.cut();
    expect(await answer).toMatchObject({ meaning: 'unknown' });
    expect(standIn.counts().made.company).toBe(0);
  });

  test('swallowed, the outcome is unknown when the time is over', async () => {
    const { proxy, client } = await openPlace({ tls: true });
    const caller = client({ timeoutMs: MIDDLE_MS });
    await caller.authorize(() => {});
    proxy.setFault({ is: 'swallows' });
    const answer = await caller.createCompany(company, callOptions());
    expect(answer).toMatchObject({ meaning: 'unknown', heard: expect.stringContaining(`within ${MIDDLE_MS} ms`) });
  });

  test('the time limit of a call begins when it leaves, not while the tunnel is made', async () => {
    const { proxy, client, authorize } = await openPlace({ tls: true });
    await authorize();
    proxy.setFault({ is: 'tunnels late', afterMs: MIDDLE_MS + 100 });
    expect(await client({ timeoutMs: MIDDLE_MS }).createCompany(company, callOptions())).toMatchObject({
      meaning: 'made',
    });
  });

  test('an idle tunnel that is cut costs no call', async () => {
    const { proxy, client } = await openPlace({ tls: true });
    const caller = client();
    await caller.createCompany(company, callOptions());
    const before = proxy.heard.connects.length;
    proxy.cut();
    await expect
      .poll(async () => (await caller.createCompany(company, callOptions())).meaning, { timeout: 5_000 })
      .toBe('made');
    expect(proxy.heard.connects.length).toBeGreaterThan(before);
  });

  test("a 407 of the service's own is an answer like any other", async () => {
    const faults: FaultChange = { rules: [{ on: 'company', fault: 'status', status: 407 }] };
    const { client } = await openPlace({ tls: true, faults });
    expect(await client().createCompany(company, callOptions())).toMatchObject({ meaning: 'refused', status: 407 });
  });
});

describe('passed on by the proxy', () => {
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
  ])('%s', async (_name, fault, meaning, made) => {
    const { standIn, proxy, client, authorize } = await openPlace({ tls: false });
    await authorize();
    proxy.setFault(fault);
    const timeoutMs = fault.is === 'silent' || fault.is === 'swallows' ? SHORT_MS : PATIENT_MS;
    expect(await client({ timeoutMs }).createCompany(company, callOptions())).toMatchObject({ meaning });
    expect(standIn.counts().made.company).toBe(made);
  });

  test('a proxy that is not there means that nothing left', async () => {
    const { proxy, client, authorize } = await openPlace({ tls: false });
    await authorize();
    proxy.stop();
    expect(await client().createCompany(company, callOptions())).toMatchObject({ meaning: 'unreachable' });
  });
});

describe.each([true, false])('a proxy that asks for a user and password (https: %s)', (tls) => {
  const user = 'anna:ge/heim@x';
  const encoded = 'anna:ge%2Fheim%40x';

  test('is given them, and the service is not', async () => {
    const { proxy, client } = await openPlace({ tls, user });
    const caller = client({ address: proxy.url.replace('//', `//${encoded}@`) });
    expect(await caller.createCompany(company, callOptions())).toMatchObject({ meaning: 'made' });
  });

  test.each([
    ['none are', '', 'give them in'],
    ['others are', 'anna:geheim@', 'correct those in'],
  ])('is a fault of the settings when %s given, at the token and at a call', async (_name, info, remedy) => {
    const { standIn, proxy, client } = await openPlace({ tls, user });
    const setting = tls ? 'HTTPS_PROXY' : 'HTTP_PROXY';
    const fault = {
      code: 'CREDENTIALS',
      message: expect.stringMatching(new RegExp(`${proxy.url} .*${remedy}.*${setting}`)),
    };
    const wrong = client({ address: proxy.url.replace('//', `//${info}`) });
    await expect(wrong.authorize(() => {})).rejects.toMatchObject(fault);
    // The remedy is not taken for a password on its way to who reads it.
    await expect(wrong.authorize(() => {}).catch(messageOf)).resolves.not.toContain('***');
    await client({ address: proxy.url.replace('//', `//${encoded}@`) }).authorize(() => {});
    await expect(wrong.createCompany(company, callOptions())).rejects.toMatchObject(fault);
    await expect(wrong.createCompany(company, callOptions())).rejects.not.toThrow(/geheim/);
    expect(standIn.counts().made.company).toBe(0);
  });
});

test.each([true, false])(
  'however connections are cut, what is said not to have left has not (https: %s)',
  async (tls) => {
    const { standIn, proxy, client, authorize } = await openPlace({ tls, faults: { latencyMs: [0, 4] } });
    await authorize();
    const [caller, names, heard] = [
      client(),
      Array.from({ length: 300 }, (_, n) => `Buyer ${n}`),
      new Map<string, string>(),
    ];
    const callAll = async (): Promise<void> => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        // At all moments of a call, and with calls between that meet none.
        if (names.length % 6 === 0) setTimeout(proxy.cut, names.length % 8);
        heard.set(name, (await caller.createCompany({ ...company, name }, callOptions())).meaning);
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

test('closing ends a tunnel that is being made', async () => {
  const { proxy, url } = await openPlace({ tls: true });
  proxy.setFault({ is: 'silent' });
  const outlet = openOutlet(url, proxy);
  const heard = outlet.send(somePost());
  await expect.poll(() => proxy.heard.connects.length).toBe(1);
  await outlet.close();
  expect(await heard).toMatchObject({ is: 'silence', sent: false });
  await expect.poll(() => proxy.openConnections()).toBe(0);
});

test('speaks HTTP/1.1 where HTTP/2 is offered too, since there a POST could be sent again unasked', async () => {
  const versions: string[] = [];
  const server = createSecureServer(
    { key: readFileSync(TLS_KEY_PATH), cert: readFileSync(CERTIFICATE_PATH), allowHTTP1: true },
    (request, answer) => {
      versions.push(request.httpVersion);
      answer.end('{}');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await openOutlet(origin, undefined).send(somePost());
  expect(versions).toEqual(['1.1']);
});

function openOutlet(origin: string, proxy: StartedProxy | undefined, tunnelTimeoutMs = 5_000) {
  const settings = proxy && { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
  const outlet = makeOutlet({
    origin,
    connections: 1,
    proxy: settings && chooseProxy(origin, settings),
    tunnelTimeoutMs,
  });
  onTestFinished(() => outlet.close());
  return outlet;
}

function somePost() {
  return { path: '/', headers: {}, body: '{}', timeoutMs: 5_000 };
}

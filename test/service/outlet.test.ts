import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { messageOf } from '../../src/errors.ts';
import { callOptions } from '../support/client.ts';
import { company, openOutlet, openProxied, somePost, trustCertificate } from '../support/proxied-service.ts';
import { CERTIFICATE_PATH, portOf, startTlsService, TLS_HOST, TLS_KEY_PATH } from '../support/tls-service.ts';
import { makeFolder } from '../support/workplace.ts';

beforeAll(trustCertificate);

test.each([true, false])('every call goes through the proxy, which resolves the host name (https: %s)', async (tls) => {
  const { standIn, proxy, url, client } = await openProxied({ tls });
  const dir = await makeFolder();
  const content = `%PDF-1.4 ${'x'.repeat(400_000)}`;
  await writeFile(join(dir, 'a.pdf'), content);
  const caller = client();
  const buyer = await caller.createCompany(company, callOptions());
  const document = await caller.uploadDocument(
    { path: join(dir, 'a.pdf'), sizeBytes: content.length, name: 'a.pdf', mediaType: 'application/pdf' },
    callOptions(),
  );
  if (buyer.is !== 'made' || document.is !== 'made') throw new Error('neither was made');
  const body = { company: buyer.id, requested_limit: 1000.5, supporting_documents: [document.id] };
  expect(await caller.requestLimit(body, callOptions())).toMatchObject({ is: 'made' });
  expect(standIn.counts().made).toEqual({ company: 1, document: 1, limit: 1 });
  // Tunnels stay open, so there are fewer tunnels than calls.
  if (tls) expect(new Set(proxy.heard.connects)).toEqual(new Set([`${TLS_HOST}:443`]));
  if (tls) expect(proxy.heard.connects.length).toBeLessThan(4);
  else expect(proxy.heard).toMatchObject({ connects: [], forwarded: expect.arrayContaining([`${url}/v1/auth/token`]) });
});

test.each([true, false])('a proxy may be reached by TLS itself (https service: %s)', async (tls) => {
  const { standIn, proxy, client } = await openProxied({ tls, user: 'anna:geheim' });
  const address = `https://anna:geheim@localhost:${await startTlsService(proxy.port)}`;
  expect(await client({ address }).createCompany(company, callOptions())).toMatchObject({ is: 'made' });
  expect(standIn.counts().made.company).toBe(1);
});

test('the number of open tunnels never exceeds the allowed connections', async () => {
  const { standIn, proxy, client } = await openProxied({ tls: true, faults: { latencyMs: 20 } });
  const caller = client();
  await Promise.all(Array.from({ length: 16 }, () => caller.createCompany(company, callOptions())));
  expect(standIn.counts().made.company).toBe(16);
  expect(proxy.heard.connects.length).toBeLessThanOrEqual(4);
});
describe.each([true, false])('a proxy that requires user and password (https: %s)', (tls) => {
  const user = 'anna:ge/heim@x';
  const encoded = 'anna:ge%2Fheim%40x';

  test('gets them from the address in the setting', async () => {
    const { proxy, client } = await openProxied({ tls, user });
    const caller = client({ address: proxy.url.replace('//', `//${encoded}@`) });
    expect(await caller.createCompany(company, callOptions())).toMatchObject({ is: 'made' });
  });

  test.each([
    ['none are', '', 'give them in'],
    ['others are', 'anna:geheim@', 'correct those in'],
  ])('is a fault of the settings when %s given, for the token and for a call', async (_name, info, remedy) => {
    const { standIn, proxy, client } = await openProxied({ tls, user });
    const setting = tls ? 'HTTPS_PROXY' : 'HTTP_PROXY';
    const fault = {
      code: 'CREDENTIALS',
      message: expect.stringMatching(new RegExp(`${proxy.url} .*${remedy}.*${setting}`)),
    };
    const wrong = client({ address: proxy.url.replace('//', `//${info}`) });
    await expect(wrong.authorize(() => {})).rejects.toMatchObject(fault);
    // The text of the remedy is not masked like a password.
    await expect(wrong.authorize(() => {}).catch(messageOf)).resolves.not.toContain('***');
    await client({ address: proxy.url.replace('//', `//${encoded}@`) }).authorize(() => {});
    await expect(wrong.createCompany(company, callOptions())).rejects.toMatchObject(fault);
    await expect(wrong.createCompany(company, callOptions())).rejects.not.toThrow(/geheim/);
    expect(standIn.counts().made.company).toBe(0);
  });
});
test('close ends a tunnel that is being made', async () => {
  const { proxy, url } = await openProxied({ tls: true });
  proxy.setFault({ is: 'silent' });
  const outlet = openOutlet(url, proxy);
  const heard = outlet.send(somePost());
  await expect.poll(() => proxy.heard.connects.length).toBe(1);
  await outlet.close();
  expect(await heard).toMatchObject({ is: 'silence', sent: false });
  await expect.poll(() => proxy.openConnections()).toBe(0);
});

test('HTTP/1.1 is used when HTTP/2 is offered, too, because HTTP/2 clients may repeat a POST', async () => {
  const versions: string[] = [];
  const server = createSecureServer(
    { key: readFileSync(TLS_KEY_PATH), cert: readFileSync(CERTIFICATE_PATH), allowHTTP1: true },
    (request, answer) => {
      versions.push(request.httpVersion);
      answer.end('{}');
    },
  );
  const origin = `https://127.0.0.1:${await portOf(server)}`;
  await openOutlet(origin, undefined).send(somePost());
  expect(versions).toEqual(['1.1']);
});

import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ConsoleError } from '../../../src/console/console-app.ts';
import { html } from '../../../src/console/html/html.ts';
import { LimitlineError } from '../../../src/errors.ts';
import { openBareConsole, STRIP } from '../../support/marked-console.ts';

test('pages have headers against inline scripts, frames, content sniffing and caching', async () => {
  const { get } = await openBareConsole();
  for (const path of ['/gallery', '/nothing-there']) {
    const { headers } = await get(path);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';object-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'none';connect-src 'self';form-action 'self';frame-ancestors 'none';base-uri 'none'",
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers.get('strict-transport-security')).toBeNull();
    expect(headers.get('set-cookie') ?? 'HttpOnly; SameSite=Lax').toMatch(/HttpOnly; SameSite=Lax/);
  }
});

test('markup in a cell is shown as text', async () => {
  const { get } = await openBareConsole();
  const { text } = await get('/gallery');
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text.match(/<script/g)).toHaveLength(1);
});

test('a page with its styles and scripts is smaller than 100 kB', async () => {
  const { get } = await openBareConsole();
  const { text } = await get('/gallery');
  const files = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  let bytes = text.length;
  for (const path of files) bytes += (await get(path)).text.length;
  const script = files.find((path) => path.endsWith('console.js')) ?? '';
  for (const name of ['events', 'swap', 'dialogs', 'keys', 'terminal']) {
    const { status, text: module } = await get(script.replace('console.js', `${name}.js`));
    expect(status).toBe(200);
    bytes += module.length;
  }
  expect(bytes).toBeLessThan(100_000);
});

test('styles and scripts are compressed for clients that accept gzip, and otherwise sent plain', async () => {
  const { get, port } = await openBareConsole();
  const { text } = await get('/gallery');
  for (const path of [/href="(\/assets\/[^"]+\.css)"/.exec(text)?.[1], /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1]]) {
    const read = async (accepted: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'accept-encoding': accepted } });
      return { packed: answer.headers.get('content-encoding'), text: await answer.text() };
    };
    const packed = await read('br, gzip');
    expect([path, packed.packed]).toEqual([path, 'gzip']);
    for (const accepted of ['identity', 'gzip;q=0, *', 'gzip; q=0.0']) {
      expect(await read(accepted)).toEqual({ packed: null, text: packed.text });
    }
  }
});

test('invalid addresses and path traversal are answered with a plain error page', async () => {
  const { ask, get, send, port } = await openBareConsole();
  const { text } = await get('/keys');
  const assets = /"(\/assets\/\w+\/)/.exec(text)?.[1] ?? '';
  const paths = [
    '/%',
    '/%E0%A4%A',
    '/%00',
    '/gallery/%2e%2e/%2e%2e/etc/passwd',
    `${assets}..%2f..%2fconsole.ts`,
    `${assets}../console.ts`,
    `${assets}%2e%2e/console.ts`,
    `${assets}`,
    `${assets}script/`,
    '//evil.example',
    '/keys?a=%',
    '/keys?%00=[[[',
    `/${'a'.repeat(2_000)}`,
  ];
  for (const path of paths) {
    const answer = await ask('GET', path);
    expect([path, [200, 400, 404].includes(answer.status)]).toEqual([path, true]);
    expect(answer.text).not.toMatch(/stack|node_modules|root:|makeConsole|FST_/);
    if (answer.status === 404) expect(answer.text).toContain('Not found');
  }
  expect((await ask('GET', `/${'a'.repeat(20_000)}`)).status).toBe(431);
  expect((await ask('GET', '/keys', { cookie: 'a='.padEnd(20_000, 'b') })).status).toBe(431);
  expect(await send('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/);
  expect(
    await send(`GET /keys HTTP/1.1\r\nhost: localhost:${port}\r\nhost: evil.example\r\nconnection: close\r\n\r\n`),
  ).toMatch(/^HTTP\/1\.1 (?:400|421|200)/);
});

test('an expected error is shown in its words, and an internal fault with status 500 and an id that is in the log', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const faults: Record<string, Error> = {
    '/gone': new ConsoleError(404, 'There is no portfolio <b>.'),
    '/changed': new ConsoleError(409, 'Somebody was faster.'),
    '/none': new LimitlineError('NOT_FOUND', 'There is no portfolio "q4".'),
    '/ours': new Error('secret of Muster GmbH'),
    '/redis': new Error('Command timed out'),
    '/redis-ends': new Error('Command aborted due to connection close'),
  };
  const { get, url } = await openBareConsole({
    log,
    pages: (app) => {
      for (const [path, fault] of Object.entries(faults)) app.get(path, () => Promise.reject(fault));
    },
  });
  expect(await get('/gone')).toMatchObject({ status: 404, text: expect.stringContaining('portfolio &lt;b&gt;.') });
  expect(await get('/changed')).toMatchObject({ status: 409, text: expect.stringContaining('Somebody was faster.') });
  expect(await get('/none')).toMatchObject({
    status: 404,
    text: expect.stringContaining('no portfolio &quot;q4&quot;'),
  });
  const ours = await get('/ours');
  const number = /<code>([0-9a-f]{8})<\/code>/.exec(ours.text)?.[1] ?? 'none';
  expect(ours).toMatchObject({ status: 500, text: expect.not.stringContaining('Muster') });
  expect(lines.filter((line) => line.includes(number) && line.includes('could not answer'))).toHaveLength(1);
  expect(await get('/redis-ends')).toMatchObject({ status: 503 });
  const redis = await get('/redis');
  expect(redis).toMatchObject({ status: 503, text: expect.stringContaining('Not available just now') });
  expect(redis.headers.get('refresh')).toBe('3');
  const piece = await get('/changed', { 'x-fragment': '1' });
  expect(piece).toMatchObject({
    status: 409,
    text: expect.stringMatching(/^<div class="notice is-bad" role="alert">.*Somebody was faster.* data-close>Back/s),
  });
  const from = await get('/changed', { 'x-fragment': '1', referer: `${url}/portfolios/q4` });
  expect(from.text).toContain('href="/portfolios/q4">Load the page again');
});

test('a page that waits for a hanging Redis is answered with status 503 within seconds', async () => {
  const hangs = () => new Promise<never>(() => {});
  const { get } = await openBareConsole({ strip: hangs, pages: (app) => app.get('/hangs', hangs) });
  const before = performance.now();
  const answer = await get('/hangs');
  // The handler never answers.
  expect(performance.now() - before).toBeLessThan(20_000);
  expect(answer).toMatchObject({ status: 503, text: expect.stringContaining('does not answer') });
});

test('the log contains the route pattern of a request, and never its parameters or fields', async () => {
  const lines: string[] = [];
  const { get, post } = await openBareConsole({
    log: pino({ level: 'debug' }, { write: (line) => void lines.push(line) }),
    pages: (app) => app.get('/of/:name', async (_request, reply) => reply.page({ title: 'x', body: html`<h1>x</h1>` })),
  });
  await get('/of/Muster%20GmbH?text=erika@muster.example');
  await post('/gallery/Muster/heard', { why: 'erika@muster.example' });
  await expect.poll(() => lines.filter((line) => line.includes('"/of/:name"'))).toHaveLength(1);
  await expect.poll(() => lines.filter((line) => line.includes('"action":"pause"'))).toHaveLength(1);
  expect(lines.join('')).not.toMatch(/Muster|erika/);
});

test('the strip shows the account, the stand-in and what stops the sending', async () => {
  const { get } = await openBareConsole({
    strip: async () => ({ ...STRIP, standIn: true, workers: 0, stops: ['No worker runs <now>.'] }),
  });
  const { text } = await get('/keys');
  expect(text).toContain('STAND-IN');
  expect(text).toContain('<bdi>https://test.example</bdi>');
  expect(text).toContain('No worker runs &lt;now&gt;.');
});

import { expect, test } from 'vitest';
import { addAction } from '../../../src/console/actions/add-action.ts';
import { openBareConsole, openMarkedConsole } from '../../support/marked-console.ts';

/** The test reads every page of a used console. */
const TIMEOUT_MS = 300_000;

/** Content types that are ASCII, or declare their encoding themselves (RFC 8259, WHATWG’s HTML 9.2.5). */
const WITHOUT_CHARSET = /^(?:text\/event-stream|image\/|font\/|application\/(?:octet-stream|vnd\.|json$|manifest))/;

/** The reason why an answer’s type, encoding or security headers are wrong, or an empty text. */
function faultOf(headers: Headers, text: string): string {
  const says = (name: string) => headers.get(name) ?? '';
  const type = says('content-type');
  const isTyped = text === '' || WITHOUT_CHARSET.test(type) || /; ?charset=utf-8$/i.test(type);
  const policy = says('content-security-policy');
  const isGuarded =
    says('x-content-type-options') === 'nosniff' &&
    says('access-control-allow-origin') === '' &&
    says('referrer-policy') === 'same-origin' &&
    /default-src 'none'.*frame-ancestors 'none'/.test(policy) &&
    says('x-powered-by') === '';
  return isTyped && isGuarded ? '' : `${type} ${policy.slice(0, 30)}`;
}

/** Files that are the same for everybody: their address has a digest, or they belong to the board’s package. */
const SAME_FOR_ALL = /^\/assets\/[0-9a-f]{12}\/|^\/queues\/static\//;

// Promise: nothing-kept-by-browsers
test(
  'no answer with data may be stored by a browser or proxy, and each page declares its type and policy',
  async () => {
    const { get, addresses, url } = await openMarkedConsole();
    const kept: string[] = [];
    const note = (path: string, status: number, headers: Headers) => {
      if (!SAME_FOR_ALL.test(path) && headers.get('cache-control') !== 'no-store') kept.push(`${status} ${path}`);
    };
    const linked = async (page: string, link: RegExp) =>
      [...(await get(page)).text.matchAll(link)].map(([, path]) => new URL(path ?? '', `${url}${page}/`).pathname);
    const assets = await linked('/keys', /(?:href|src)="(\/assets\/[^"]+)"/g);
    const boards = await linked('/queues', /(?:href|src)="(static\/[^"]+)"/g);
    expect([assets.length > 2, boards.length > 2]).toEqual([true, true]);
    const wrong: string[] = [];
    const judge = (path: string, { status, headers, text }: Awaited<ReturnType<typeof get>>) => {
      const fault = faultOf(headers, text);
      if (fault !== '') wrong.push(`${status} ${path}: ${fault}`);
    };
    for (const path of [...assets, ...boards]) judge(path, await get(path));
    for (const path of addresses) {
      const asked: Record<string, string>[] = [{}, { 'x-fragment': '1' }, { 'x-test-roles': 'viewer' }];
      const methods = ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'];
      await Promise.all([
        ...asked.map(async (headers) => {
          const answer = await get(path, headers);
          note(path, answer.status, answer.headers);
          judge(path, answer);
        }),
        ...methods.map(async (method) => {
          const answer = await fetch(`${url}${path}`, { method, redirect: 'manual' });
          note(`${method} ${path}`, answer.status, answer.headers);
        }),
      ]);
    }
    expect(kept).toEqual([]);
    expect(wrong).toEqual([]);
  },
  TIMEOUT_MS,
);

test('refusals, unreadable requests, failures and redirects are not stored by a browser either', async () => {
  const { ask, port, post } = await openBareConsole({
    pages: (app) => {
      app.get('/fails', async () => {
        throw new Error('of ours');
      });
      addAction(app, { url: '/led', action: 'pause', handle: ({ reply }) => reply.redirect('/keys', 303) });
    },
  });
  const host = { host: `127.0.0.1:${port}` };
  const answers = [
    await ask('GET', '/keys', { host: 'evil.example' }),
    await ask('GET', '/keys', { ...host, 'x-forwarded-for': '1.2.3.4' }),
    await ask('GET', '/keys', { ...host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }),
    await ask('POST', '/led', host),
    await ask('TRACE', '/keys', host),
    await ask('GET', '/%', host),
    await ask('GET', '/fails', host),
    await ask('GET', '/nowhere', host),
  ];
  const said = answers.map(({ status, headers }) => [status, headers['cache-control']]);
  expect(said).toEqual([421, 403, 403, 403, 405, 400, 500, 404].map((status) => [status, 'no-store']));
  const { status, headers } = await post('/led');
  expect([status, headers.get('cache-control')]).toEqual([303, 'no-store']);
});

test('only assets may be cached', async () => {
  const { get } = await openBareConsole();
  const { text } = await get('/keys');
  const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(assets.length).toBeGreaterThan(2);
  for (const path of assets) {
    expect((await get(path)).headers.get('cache-control')).toMatch(/^public, max-age=31536000, immutable$/);
  }
});

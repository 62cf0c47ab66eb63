import { expect, test } from 'vitest';
import { addAction } from '../../../src/console/actions/add-action.ts';
import { openBareConsole } from '../../support/marked-console.ts';

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

import type { RouteOptions } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { consoleFunctions } from '../../../scripts/console/functions.ts';
import type { Wish } from '../../../src/console/actions/may.ts';
import { makeConsole } from '../../../src/console/console.ts';
import { addPages } from '../../../src/console/pages/index.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { STRIP } from '../../support/bare-console.ts';
import { makeVisitor } from '../../support/console.ts';
import { openWorkplace } from '../../support/workplace.ts';

/** These change nothing. */
const READING = ['GET', 'HEAD', 'OPTIONS'];

/** Routes of a library's that no action of ours is registered for: they ask by themselves (src/console/board). */
const BOARD = '/queues/';

/** An action reads one of these. */
const FORMS = [
  ['application/x-www-form-urlencoded', 'a=b'],
  ['multipart/form-data; boundary=x', '--x--\r\n'],
];

/** The whole console, in which nobody may do anything, with all of its routes. */
async function openForbidding() {
  const { context } = await openWorkplace();
  const routes: RouteOptions[] = [];
  const asked: Wish[] = [];
  const web = await makeConsole({
    host: '127.0.0.1',
    port: 0,
    log: makeSilentLog(),
    strip: async () => STRIP,
    may: async (wish) => {
      asked.push(wish);
      return 'Not you.';
    },
    pages: (app, hub) => {
      app.addHook('onRoute', (route) => void routes.push(route));
      addPages(app, hub, consoleFunctions(context));
    },
  });
  onTestFinished(() => web.close());
  await web.listen();
  const changing = routes.flatMap((route) =>
    [route.method].flat().flatMap((method) => (READING.includes(method) ? [] : [{ ...route, method }])),
  );
  return { url: web.url(), changing, asked };
}

test('whatever changes something goes through the one place that says who may, and needs a token of ours', async () => {
  const { url, changing, asked } = await openForbidding();
  expect(changing.length).toBeGreaterThan(3);
  const unasked = changing.filter(({ config, url: at }) => config?.action === undefined && !at.startsWith(BOARD));
  expect(unasked.map(({ method, url: at }) => `${method} ${at}`)).toEqual([]);

  const { token, cookie, origin } = await makeVisitor(url).credentials();
  for (const { method, url: route, config } of changing) {
    const path = route.replace(/:\w+/g, 'x').replace('*', 'x');
    const send = ([type, body]: string[], token: string) =>
      fetch(`${url}${path}?_csrf=${token}`, {
        method,
        headers: { cookie, origin, 'content-type': type ?? '', 'csrf-token': token, 'x-xsrf-token': token },
        body: body ?? '',
      });
    const bodies = route.startsWith(BOARD) ? [['application/json', '{}']] : FORMS;
    const statuses = (token: string) => Promise.all(bodies.map(async (body) => (await send(body, token)).status));
    const name = `${method} ${route}`;
    expect([name, await statuses('')]).toEqual([name, bodies.map(() => expect.toBeOneOf([403, 415]))]);
    expect(asked, `${name} without a token`).toEqual([]);
    // One of the two forms is what it reads; nobody may, and that is what it hears.
    expect([name, await statuses(token)]).toEqual([name, expect.arrayContaining([403])]);
    expect(asked, name).not.toEqual([]);
    if (config?.action !== undefined)
      expect(asked[0]).toMatchObject({ action: config.action, actor: { name: 'console' } });
    asked.length = 0;
  }
});

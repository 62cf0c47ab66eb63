import { expect, test } from 'vitest';
import { consoleLink } from '../../../scripts/console/open-console.ts';
import { commandLineActor } from '../../../src/actor.ts';
import { callCommand } from '../../support/command.ts';
import { auditOf, makeVisitor, openByLink, openConsole, openDesk } from '../../support/desk.ts';
import { PASSWORD } from '../../support/people.ts';

async function openUnknown() {
  const desk = await openDesk(1);
  const web = await openConsole(desk);
  const link = async () => (await consoleLink(web.context, web.url)) ?? '';
  return { ...web, desk, link };
}

// Promise: link-opens-once
test('a link opens the console once and for one browser, whose actions are recorded for the link’s maker', async () => {
  const { url, link, desk, context } = await openUnknown();
  const stranger = makeVisitor(url);
  for (const path of ['/', '/keys', '/users', '/nowhere']) {
    const { status, text } = await stranger.get(path);
    expect({ path, status }).toEqual({ path, status: 401 });
    expect(text).toContain('npx limitline console --link');
  }
  expect((await stranger.get('/health/live')).status).toBe(200);
  const address = await link();
  const [kept = ''] = await context.ledger.keys(`{${context.settings.LIMITLINE_PREFIX}}:session:*`);
  const leftMs = 12 * 3_600_000 - (await context.ledger.pttl(kept));
  expect(leftMs).toBeGreaterThanOrEqual(0);
  expect(leftMs).toBeLessThan(600_000);
  expect((await fetch(address, { method: 'HEAD', redirect: 'manual' })).status, 'to look at its head alone').toBe(401);
  const answers = await Promise.all([openByLink(address), openByLink(address), openByLink(address)]);
  const statuses = await Promise.all(answers.map(async ({ get }) => (await get('/keys')).status));
  expect(statuses.toSorted()).toEqual([200, 401, 401]);
  expect((await (await openByLink(address)).get('/keys')).status).toBe(401);
  const owner = answers[statuses.indexOf(200)];
  await desk.limitline('import', 'q4.csv', '--yes');
  expect((await owner?.post('/portfolios/q4/pause', {}))?.status).toBe(303);
  const entries = await auditOf({ context });
  expect(entries.filter(({ what }) => what === 'portfolio paused').map(({ by }) => by)).toContain(commandLineActor());
  expect(JSON.stringify(entries)).not.toContain(new URL(address).searchParams.get('token'));
});

test('a new link replaces an unused one, and an invented token is refused', async () => {
  const { url, link } = await openUnknown();
  const [first, second] = [await link(), await link()];
  expect((await (await openByLink(first)).get('/keys')).status).toBe(401);
  expect((await (await openByLink(second)).get('/keys')).status).toBe(200);
  for (const token of ['', 'x', 'A'.repeat(43)]) {
    expect((await (await openByLink(`${url}/?token=${token}`)).get('/keys')).status).toBe(401);
  }
});

// Promise: link-of-the-running-console
test('a new link names the running console, and of several the one at CONSOLE_PORT', async () => {
  const desk = await openDesk(1, {}, { CONSOLE_PORT: '0' });
  const web = desk.start('console');
  await expect.poll(() => web.output().stdout, { timeout: 20_000 }).toContain('The console is at ');
  const addressOf = (words: string) => new URL(/http:[^\s,]+/.exec(words)?.[0] ?? 'http://none').origin;
  const at = addressOf(web.output().stdout);
  const linkOf = async (CONSOLE_PORT = '4999') => {
    const { stdout, stderr } = await callCommand(['console', '--link'], {
      cwd: desk.cwd,
      env: { ...desk.env, CONSOLE_PORT },
    });
    return stderr.includes('Several consoles') ? stderr.trim() : addressOf(stdout);
  };
  await expect.poll(() => linkOf()).toBe(at);
  const second = desk.start('console');
  await expect.poll(() => second.output().stdout, { timeout: 20_000 }).toContain('The console is at ');
  await expect.poll(() => linkOf()).toContain('say CONSOLE_PORT');
  for (const one of [at, addressOf(second.output().stdout)]) expect(await linkOf(new URL(one).port)).toBe(one);
  second.child.kill('SIGTERM');
  await second.ended;
  web.child.kill('SIGTERM');
  await web.ended;
  expect(await linkOf()).toBe('http://127.0.0.1:4999');
});

// Promise: first-user-ends-links
test('adding the first user ends all links and their sessions', async () => {
  const { get, url, link, context } = await openUnknown();
  expect((await get('/keys')).status).toBe(200);
  const unused = await link();
  await context.people.users.add({ name: 'anna', roles: ['admin'], password: PASSWORD, mustChange: false });
  await expect.poll(async () => (await get('/keys')).status).toBe(303);
  expect((await (await openByLink(unused)).get('/keys')).status).toBe(303);
  expect(await consoleLink(context, url)).toBeUndefined();
  // The link does not work again after that user is removed.
  await context.people.users.remove('anna').catch(() => {});
  expect((await get('/keys')).status).not.toBe(200);
});

test('the page with the first user’s password is shown without a session, and links to the sign-in', async () => {
  const { get, post } = await openUnknown();
  expect((await get('/users')).text).toContain('Add the first one below.');
  const { status, text } = await post('/users', { name: 'anna', 'role-admin': 'yes' });
  expect(status).toBe(200);
  expect(text).toContain('class="once"');
  expect(text).not.toMatch(/data-events="|strip-unheard|class="places"/);
  expect(text).toContain('From now on everybody signs in');
  expect(text).toContain('href="/sign-in"');
});

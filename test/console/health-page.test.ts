import { expect, onTestFinished, test } from 'vitest';
import { makeConsole } from '../../src/console/console.ts';
import { systemHealthPage } from '../../src/console/pages/health/health-routes.ts';
import { makeSilentLog } from '../../src/log.ts';
import { ANYBODY, makeVisitor, openConsole, openDesk } from '../support/desk.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { testsBeside } from '../support/tests-beside.ts';

const beside = testsBeside();

// Promise: health-of-each-part
test('the health page shows the state of each part, without secrets and passwords', async () => {
  const desk = await openDesk(
    2,
    {},
    {
      SERVICE_CONCURRENCY: '7',
      SERVICE_ACCOUNT: 'acme',
      HTTP_PROXY: 'http://me:hunter2@proxy.example:8080',
      NO_PROXY: '127.0.0.1',
    },
  );
  await desk.limitline('run', 'q4.csv');
  const { get, context } = await openConsole(desk);
  const { status, text } = await get('/health');
  expect(status).toBe(200);
  for (const title of ['Redis', 'Processes', 'Service', 'Pace', 'Ledger', 'Disk', 'Versions']) {
    expect(text).toMatch(new RegExp(`<h2 id="[^"]*">${title}</h2>`));
  }
  expect(text).toMatch(/<dt>Version<\/dt><dd>\d+\.\d+/);
  expect(text).toMatch(/<dt>Token<\/dt><dd>good for another \d+ min/);
  expect(text).toMatch(/<dt>Token calls so far<\/dt><dd>1</);
  expect(text).toMatch(/<dt>SERVICE_CONCURRENCY<\/dt><dd>7</);
  expect(text).toMatch(/<dt>HTTP_PROXY<\/dt><dd>given</);
  expect(text).toContain('none is seen');
  expect(text).toContain('never so far; the nightly check does it');
  for (const secret of ['hunter2', context.settings.SERVICE_CLIENT_SECRET, context.settings.SERVICE_CLIENT_ID]) {
    expect(text).not.toContain(secret);
  }
  await desk.limitline('reconcile');
  expect((await get('/health')).text).toContain('all agreed');
});

// Promises: health-shows-versions, worker-takes-up-nothing-new
beside(
  'a worker is told on the page to take no new rows, the audit names the author, and differing versions are shown',
  async () => {
    const desk = await openDesk(2);
    desk.start('work');
    const { get, post, context } = await openConsole(desk);
    void context.fleet.join('console');
    onTestFinished(() => context.fleet.leave());
    const workers = async () => (await context.fleet.read()).filter(({ role }) => role === 'work');
    await expect.poll(workers).toHaveLength(1);
    const [{ id, pid } = { id: '', pid: 0 }] = await workers();
    const { text } = await get('/health');
    expect(text).toContain(`work, process ${pid} on `);
    expect(text).not.toContain('Versions differ');
    expect(text).toContain(`action="/health/workers/${id}/quiet"`);
    expect((await post(`/health/workers/${id}/quiet`)).status).toBe(303);
    expect((await post('/health/workers/nobody/quiet')).status).toBe(404);
    await expect.poll(async () => (await get('/health')).text).toContain('nothing in hand: it can be stopped');
    expect((await desk.limitline('audit', 'list')).stdout).toMatch(
      new RegExp(`worker told to take up nothing new.*${id}`),
    );
    expect((await post(`/health/workers/${id}/resume`)).status).toBe(303);
    await expect.poll(async () => (await get('/health')).text).toContain('0 rows in hand');

    const older = { role: 'work', version: '0.1.0', host: 'h', pid: 1, state: 'works', inHand: 0 };
    await context.ledger.hset(context.keys.fleet, 'old', `${Date.now()} ${JSON.stringify(older)}`);
    expect((await get('/health')).text).toMatch(/Versions differ: .*0\.1\.0.* run at the same time/);
  },
);

test('a part that fails or does not answer in time is reported, and the others are shown', async () => {
  const web = await makeConsole({
    host: '127.0.0.1',
    port: 0,
    log: makeSilentLog(),
    strip: async () => ({ account: 'a', standIn: true, workers: 1, pace: '', stops: [] }),
    identify: async () => ANYBODY,
    pages: (app, hub) => {
      const parts = [
        { title: 'Redis', limitMs: 50, ofSystem: false, ask: () => new Promise<never>(() => {}) },
        { title: 'Disk', limitMs: 50, ofSystem: false, ask: () => Promise.reject(new Error('EIO: <b>broken</b>')) },
        { title: 'Pace', limitMs: 50, ofSystem: false, ask: async () => [{ term: 'Pace', what: 'fast' }] },
      ];
      const { signal } = new AbortController();
      systemHealthPage.add(app, { instruct: async () => false, parts }, { hub, stopping: signal });
    },
  });
  onTestFinished(() => web.close());
  await web.listen();
  const { text } = await makeVisitor(web.url()).get('/health');
  expect(text).toContain('Redis cannot be asked: no answer within 0.05 s');
  expect(text).toContain('Cannot be asked: EIO: &lt;b&gt;broken&lt;/b&gt;');
  expect(text).toContain('<dd>fast</dd>');
  expect(text).toContain('2 things to look at');
});

beside(
  'while Redis is away or silent the health page says so in time, and shows what does not need Redis',
  async () => {
    const redis = await startKillableRedis();
    const desk = await openDesk(1, {}, { REDIS_URL: redis.url });
    const { get } = await openConsole(desk, { identify: async () => ANYBODY });
    expect((await get('/health')).text).toContain('<dt>Answers in</dt>');
    await redis.kill();
    const { status, text } = await get('/health');
    expect(status).toBe(200);
    expect(text).toMatch(/Redis cannot be asked: /);
    expect(text).toMatch(/<dt>Free on its disk<\/dt>|made with the first import/);
    expect(text).toMatch(/<dt>Node<\/dt>/);
    await redis.restart();
    await expect.poll(async () => (await get('/health')).text).toContain('<dt>Answers in</dt>');
    // Redis accepts connections and does not answer.
    redis.pause();
    const silent = await get('/health');
    expect(silent).toMatchObject({
      status: 200,
      text: expect.stringContaining('Redis cannot be asked: no answer within 1.5 s'),
    });
    // The console would wait some seconds for a silent Redis when it closes.
    await redis.kill();
  },
);

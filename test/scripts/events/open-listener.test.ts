import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openListener, whereEvents } from '../../../scripts/events/open-listener.ts';
import { readSettings } from '../../../src/config.ts';
import { connectTo, posted, SECRET } from '../../support/event-listener.ts';
import { portOf } from '../../support/tls-service.ts';
import { openWorkplace } from '../../support/workplace.ts';

test('the listener applies the limits of the settings, stores events in Redis and counts them in the metrics', async () => {
  const env = {
    EVENTS_PORT: '0',
    EVENTS_SECRET: SECRET,
    EVENTS_MAX_KB: '1',
    EVENTS_PER_SECOND: '20',
    METRICS_PORT: '0',
  };
  const { context } = await openWorkplace({ env });
  let metrics = '';
  context.log.info = ((facts: { metrics?: string }) => {
    metrics = facts.metrics ?? metrics;
  }) as typeof context.log.info;
  const listener = await openListener(context, whereEvents(context.settings), context.events.keep);
  onTestFinished(() => listener.close());
  const url = listener.url.replace('…', SECRET);
  const post = async (body: string) => (await fetch(url, { method: 'POST', body })).status;
  expect(await post('{"limit":"bl_1"}')).toBe(200);
  expect(await post('{"limit":"bl_1"}')).toBe(200);
  expect(await post('x'.repeat(1_025))).toBe(413);
  expect(await context.events.totals()).toMatchObject({ events: 1 });
  // As many requests as fifteen seconds allow, sent at once.
  const flood = await connectTo(Number(new URL(listener.url).port));
  flood.write(Buffer.concat(Array.from({ length: 300 }, () => posted('{"limit":"bl_1"}'))));
  expect(await flood.answers(300)).toContain('429');

  expect(await (await fetch(new URL('/health/ready', metrics))).json()).toEqual({ status: 'ready' });
  const text = await (await fetch(metrics)).text();
  expect(text).toMatch(/^limitline_events_total\{became="kept"\} 1$/m);
  expect(text).toMatch(/^limitline_events_total\{became="too large"\} 1$/m);
  expect(text).toMatch(/^limitline_events_total\{became="wrong secret"\} 0$/m);
  expect(text).not.toContain(SECRET);
});

test('a port in use is reported as a fault', async () => {
  const port = String(await portOf(createServer()));
  const { context } = await openWorkplace({ env: { EVENTS_PORT: port, EVENTS_SECRET: SECRET } });
  const opening = openListener(context, whereEvents(context.settings), context.events.keep);
  await expect(opening).rejects.toThrow(`Events cannot be listened for at 127.0.0.1 ${port}`);
});

test('without EVENTS_PORT nothing listens, and the fault explains the port and the secret', () => {
  const settings = readSettings({ env: {}, cwd: '/' });
  expect(() => whereEvents(settings)).toThrow(/EVENTS_PORT is not set, .* EVENTS_SECRET; openssl rand -hex 32 makes/);
});

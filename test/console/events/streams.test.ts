import { once } from 'node:events';
import { type ClientRequest, get as httpGet, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { addEvents } from '../../../src/console/events/add-events.ts';
import type { Hub } from '../../../src/console/events/hub.ts';
import { html } from '../../../src/console/html/html.ts';
import { openBareConsole } from '../../support/marked-console.ts';

/** A console with a page whose figures always change, and streams of it. */
async function openStreams({ bytes = 10 } = {}) {
  const seen: { hub?: Hub; reads: number } = { reads: 0 };
  const bare = await openBareConsole({
    pages: (app, hub) => {
      seen.hub = hub;
      const frame = async () => {
        seen.reads += 1;
        return [{ id: 'figures', html: html`<b>${seen.reads}</b>${'x'.repeat(bytes)}` }];
      };
      addEvents(app, hub, {
        url: '/figures/:name/events',
        key: (request) => (request.params as { name: string }).name,
        frame,
      });
    },
  });
  const open: ClientRequest[] = [];
  onTestFinished(() => {
    for (const request of open) request.destroy();
  });
  const watch = async (): Promise<IncomingMessage> => {
    const headers = { accept: 'text/event-stream' };
    const request = httpGet(`${bare.url}/figures/q4/events`, { headers, agent: false });
    open.push(request);
    request.on('error', () => {});
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  };
  return { ...bare, seen, watch, hub: () => seen.hub as Hub };
}

test('one reader updates 200 pages, and closing the console ends all of their streams', async () => {
  const { watch, seen, hub, web } = await openStreams();
  const frames = { count: 0, ended: 0 };
  for (let opened = 0; opened < 200; opened += 100) {
    for (const stream of await Promise.all(Array.from({ length: 100 }, watch))) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        frames.count += text.split('event: frame').length - 1;
      });
      stream.once('close', () => {
        frames.ended += 1;
      });
    }
  }
  expect(hub().watchers()).toBe(200);
  const before = { frames: frames.count, reads: seen.reads };
  await expect.poll(() => frames.count).toBeGreaterThan(before.frames + 600);
  expect(seen.reads - before.reads).toBeLessThan(20);
  const started = performance.now();
  await web.close();
  // A console that waited for its pages would wait as long as they are open.
  expect(performance.now() - started).toBeLessThan(20_000);
  await expect.poll(() => frames.ended).toBe(200);
});

test('a client that does not read its stream is disconnected', async () => {
  const { port, hub } = await openStreams({ bytes: 2_000_000 });
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => {});
  socket.pause();
  socket.write(`GET /figures/q4/events HTTP/1.1\r\nhost: localhost:${port}\r\naccept: text/event-stream\r\n\r\n`);
  await expect.poll(() => hub().watchers()).toBe(1);
  await expect.poll(() => hub().watchers()).toBe(0);
});

test('a closed stream is forgotten at once, and an open one outlasts the time limit of a page', async () => {
  const { watch, hub } = await openStreams();
  const stream = await watch();
  let last = 0;
  stream.on('data', () => {
    last = performance.now();
  });
  const began = performance.now();
  // The time limit of a page is four seconds.
  await expect.poll(() => last - began).toBeGreaterThan(4_500);
  expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  stream.destroy();
  await expect.poll(() => hub().watchers()).toBe(0);
});

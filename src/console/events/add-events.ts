import type { FastifyRequest } from 'fastify';
import type { ConsoleApp } from '../console-app.ts';
import { looksMasked } from '../privacy/who-looks.ts';
import type { Frame, Hub } from './hub.ts';

/** What a slow page may leave unread when the next frame comes. One that leaves more gets a new stream when it is awake. */
const UNREAD_BYTES = 512 * 1_024;

/** How soon a browser comes again whose stream ended. */
const COME_AGAIN_MS = 2_000;

/**
 * The events of a page, under an address: give it to `reply.page({ events })`. As `text/event-stream` it goes on for as long
 * as the page is open; asked for as anything else, it answers one whole frame as JSON, for browsers that get no events.
 *
 * Browsers open six connections to one host, so a page has one stream, and a hidden tab closes its own (assets/script/events.js).
 *
 * @param given.url may have parameters
 * @param given.key what tells one watched thing from the others of this address, such as the portfolio's name
 * @param given.frame the pieces of the page, read once for all who watch the same; without tokens or anything of one person
 */
export function addEvents(
  app: ConsoleApp,
  hub: Hub,
  given: { url: string; key: (request: FastifyRequest) => string; frame: (key: string) => Promise<Frame> },
): void {
  app.get(given.url, { sse: 'dual' }, async (request, reply) => {
    const key = given.key(request);
    // What is shared is the same for all who share it.
    const name = `${given.url} ${key}${looksMasked() ? ' masked' : ''}`;
    const read = () => given.frame(key);
    reply.header('cache-control', 'no-store');
    if (!reply.sse) {
      const pieces = [...(await hub.frame(name, read))];
      return reply.send({ fragments: pieces.map(([id, html]) => ({ id, html })) });
    }
    const { raw } = reply;
    const watcher = {
      send: (message: string) => {
        if (raw.destroyed || raw.writableLength >= UNREAD_BYTES) return false;
        raw.write(message);
        return true;
      },
      end: () => {
        // What it did not read it need not read any more.
        if (raw.writableLength >= UNREAD_BYTES) raw.destroy();
        else raw.end();
      },
    };
    reply.sse.sendHeaders(200);
    reply.sse.keepAlive();
    reply.hijack();
    raw.write(`retry: ${COME_AGAIN_MS}\n\n`);
    const leave = hub.watch(name, read, watcher);
    if (!leave) {
      raw.end();
      return;
    }
    raw.once('close', leave);
  });
}

import type { FastifyRequest } from 'fastify';
import type { About, Rights } from '../access/access.ts';
import { rightsWord } from '../access/access-table.ts';
import type { ConsoleApp } from '../console-app.ts';
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
 * @param given.frame the pieces of the page, read once for all who watch the same with the same rights; without tokens or
 *   anything of one person
 * @param given.about what it is about, where the address has no `:name` and the table must know
 */
export function addEvents(
  app: ConsoleApp,
  hub: Hub,
  given: {
    url: string;
    key: (request: FastifyRequest) => string;
    frame: (key: string, rights: Rights) => Promise<Frame>;
    about?: (request: FastifyRequest) => Promise<About>;
  },
): void {
  const config = { byItself: true, ...(given.about ? { about: given.about } : {}) };
  app.get(given.url, { sse: 'dual', config }, async (request, reply) => {
    const key = given.key(request);
    const { rights } = request;
    // Buttons and masks differ by what one may: who may less must not get the pieces of who may more.
    const name = `${given.url} ${rightsWord(rights)} ${key}`;
    const read = () => given.frame(key, rights);
    reply.header('cache-control', 'no-store');
    if (!reply.sse) {
      const pieces = [...(await hub.frame(name, read))];
      return reply.send({ fragments: pieces.map(([id, html]) => ({ id, html })) });
    }
    const { raw } = reply;
    const watcher = {
      session: request.signedIn?.token,
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

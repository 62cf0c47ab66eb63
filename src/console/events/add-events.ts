import type { FastifyRequest } from 'fastify';
import { type About, type Rights, rightsWord } from '../access/access.ts';
import type { ConsoleApp } from '../console-app.ts';
import type { Frame, Hub } from './hub.ts';

/** Unread bytes at which a slow page is disconnected; it opens a new stream once it reads again. */
const UNREAD_BYTES = 512 * 1_024;

/** The time after which a browser reopens a stream that ended. */
const COME_AGAIN_MS = 2_000;

/**
 * The events of a page under an address, for `reply.page({ events })`. A request for `text/event-stream` gets a stream while
 * the page is open. Any other request gets one whole frame as JSON, for browsers without event streams.
 * A browser opens six connections to a host, so a page has one stream, and a hidden tab closes it (assets/script/events.js).
 *
 * @param given.url may have parameters
 * @param given.key identifies what is watched under this address, such as the portfolio's name
 * @param given.frame the pieces of the page, read once for all people with the same rights; nothing in it may be for one person, unless the key names that person
 * @param given.about what the request is about, for the access table, where the address has no `:name`
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
    // Buttons and masks depend on the rights, so people with other rights get other pieces. The parts are kept apart by JSON, since a key
    // may have spaces: "own brands" is the name of a portfolio, and "own" is a right.
    const name = JSON.stringify([given.url, rightsWord(rights), key]);
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
        // A socket with so many unread bytes is slow, and ending it properly would wait for them.
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

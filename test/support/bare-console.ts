import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyRequest } from 'fastify';
import { onTestFinished } from 'vitest';
import type { Audit } from '../../src/audit/audit.ts';
import type { May } from '../../src/console/actions/may.ts';
import { makeConsole } from '../../src/console/console.ts';
import type { ConsoleApp } from '../../src/console/console-app.ts';
import type { Hub } from '../../src/console/events/hub.ts';
import type { Strip } from '../../src/console/layout/strip.ts';
import { addKeysPage } from '../../src/console/pages/keys/add-keys-page.ts';
import { type Log, makeSilentLog } from '../../src/log.ts';
import type { Person } from '../../src/people/person.ts';
import { makeVisitor } from './console.ts';
import { addGalleryPage } from './gallery.ts';
import { makeNotedAudit } from './noted-audit.ts';

export const STRIP: Strip = { account: 'https://test.example', standIn: false, workers: 1, pace: '', stops: [] };

/** A console with nothing behind it: the gallery, and what a test adds; closed when the test ends. */
export async function openBareConsole(
  given: {
    account?: string;
    strip?: () => Promise<Strip>;
    may?: May;
    personOf?: (request: FastifyRequest) => Person;
    audit?: Audit;
    log?: Log;
    pages?: (app: ConsoleApp, hub: Hub) => void;
  } = {},
) {
  const web = await makeConsole({
    host: '127.0.0.1',
    port: 0,
    ...(given.account ? { account: given.account } : {}),
    log: given.log ?? makeSilentLog(),
    audit: given.audit ?? makeNotedAudit(),
    strip: given.strip ?? (async () => STRIP),
    ...(given.may ? { may: given.may } : {}),
    ...(given.personOf ? { personOf: given.personOf } : {}),
    pages: (app, hub) => {
      addKeysPage(app);
      addGalleryPage(app);
      given.pages?.(app, hub);
    },
  });
  onTestFinished(() => web.close());
  await web.listen();
  const { port } = new URL(web.url());

  /** A request with any method, address and headers, also such as browsers and `fetch` never send. */
  const ask = async (method: string, path: string, headers: Record<string, string | string[]> = {}, body = '') => {
    // A connection each: the server ends those of whom it does not let in.
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
    asked.end(body);
    const [answer] = await once(asked, 'response');
    return {
      status: answer.statusCode as number,
      headers: answer.headers as IncomingHttpHeaders,
      text: await text(answer),
    };
  };

  /** Bytes as they are, and the bytes of the answer until the server closes. */
  const send = async (bytes: string): Promise<string> => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(bytes);
    return text(socket);
  };
  return { web, url: web.url(), port, ask, send, ...makeVisitor(web.url()) };
}

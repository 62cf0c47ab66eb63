import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { AccessTable } from '../../src/console/access/access.ts';
import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { makeConsole } from '../../src/console/console.ts';
import type { ConsoleApp } from '../../src/console/console-app.ts';
import type { Hub } from '../../src/console/events/hub.ts';
import type { Strip } from '../../src/console/layout/layout.ts';
import { ACCESS } from '../../src/console/pages/index.ts';
import { keysPage } from '../../src/console/pages/keys/keys-routes.ts';
import type { Reach } from '../../src/console/server/reach.ts';
import type { SignInOptions } from '../../src/console/sign-in/add-oidc-sign-in.ts';
import { type Log, makeSilentLog } from '../../src/log.ts';
import { makeVisitor } from './desk.ts';
import { addGalleryPage } from './gallery.ts';
import { ANYBODY } from './persons.ts';

export const STRIP: Strip = { account: 'https://test.example', standIn: false, workers: 1, pace: '', stops: [] };

/** What tests add is for everybody who is known. */
const WITH_TEST_PAGES: AccessTable = { ...ACCESS, 'GET /*': { signedIn: true }, 'POST /*': { signedIn: true } };

/** A console with nothing behind it: the gallery, and what a test adds; closed when the test ends. */
export async function openBareConsole(
  given: {
    account?: string;
    strip?: () => Promise<Strip>;
    reach?: Reach;
    signIn?: SignInOptions;
    log?: Log;
    pages?: (app: ConsoleApp, hub: Hub) => void;
  } & Partial<AccessFunctions> = {},
) {
  const { account, strip = async () => STRIP, log = makeSilentLog(), pages, reach, signIn, ...who } = given;
  const web = await makeConsole({
    host: '127.0.0.1',
    port: 0,
    ...(account ? { account } : {}),
    log,
    strip,
    ...(reach ? { reach } : {}),
    ...(signIn ? { signIn } : { identify: async () => ANYBODY }),
    table: WITH_TEST_PAGES,
    ...who,
    pages: (app, hub) => {
      keysPage.add(app, undefined, { hub, stopping: new AbortController().signal });
      addGalleryPage(app);
      pages?.(app, hub);
    },
  });
  onTestFinished(() => web.close());
  await web.listen();
  const port = String((web.app.server.address() as AddressInfo).port);

  /** A request with any method, address and headers, also such as browsers and `fetch` never send. */
  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string | string[]> = {},
    body = '',
    /** Of the loopback network, all of whose addresses are this machine's. */
    from = '127.0.0.1',
  ) => {
    // A connection each: the server ends those of whom it does not let in.
    const asked = request({ host: '127.0.0.1', localAddress: from, port, method, path, headers, agent: false });
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

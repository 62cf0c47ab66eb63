import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REFUSALS, type RunningLimiter, type StartLimiter } from './limiter.ts';
import { makePassOn } from './pass-on.ts';

type Answer = (call: IncomingMessage, answer: ServerResponse) => void;

/**
 * A limiter that is a piece of a Node server: in this process, on a free port of this machine.
 *
 * @param makeAnswer what answers calls: it refuses them, or passes them on
 */
export function serveLimiter(makeAnswer: (passOn: Answer) => Answer | Promise<Answer>): StartLimiter {
  return async (upstream): Promise<RunningLimiter> => {
    const { passOn, close } = makePassOn(upstream);
    const answerCall = await makeAnswer(passOn);
    let refused = 0;
    const server = createServer((call, answer) => {
      answer.once('finish', () => {
        if (REFUSALS.includes(answer.statusCode)) refused += 1;
      });
      answerCall(call, answer);
    });
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      refused: () => refused,
      async [Symbol.asyncDispose]() {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        close();
        await closed;
      },
    };
  };
}

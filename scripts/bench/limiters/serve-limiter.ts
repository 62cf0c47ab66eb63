import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { REFUSALS, type RunningLimiter, type StartLimiter } from './limiter.ts';

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

/** Headers of one connection, not of the answer (RFC 9110, section 7.6.1). */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Passes calls on to a service as they are, and its answers back, beside the headers that the answer has already. A call
 * whose answer cannot be had breaks, as it would without anybody in between.
 */
function makePassOn(upstream: string) {
  const agent = new Agent({ keepAlive: true });
  return {
    passOn(call: IncomingMessage, answer: ServerResponse): void {
      const { method, headers } = call;
      const passed = request(new URL(call.url ?? '/', upstream), { agent, method, headers }, (theirs) => {
        const kept = Object.entries(theirs.headers).filter(([name]) => !OF_CONNECTION.includes(name));
        answer.writeHead(theirs.statusCode ?? 502, Object.fromEntries(kept));
        pipeline(theirs, answer).catch(() => answer.destroy());
      });
      pipeline(call, passed).catch(() => answer.destroy());
    },
    close: (): void => agent.destroy(),
  };
}

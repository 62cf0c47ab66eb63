import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Headers of one connection, not of the answer (RFC 9110, section 7.6.1). */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Passes calls on to a service as they are, and its answers back, beside the headers that the answer has already. A call
 * whose answer cannot be had breaks, as it would without anybody in between.
 */
export function makePassOn(upstream: string) {
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

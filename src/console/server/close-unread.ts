import type { FastifyInstance } from 'fastify';

/** So often it is looked whether the rest comes, which Node throws away. */
const LINGER_MS = 5_000;

/** A browser reads the answer to a large file when it has sent all of it: who sends as much as this each time is waited for. */
const LEAST_BYTES = 32 * 1_024;

/**
 * Closes connections whose request was answered before all of it came, and of which the rest does not come either. Node's own limit for
 * a whole request is not for us, since an upload may take hours; without any, whoever announces a body and sends none would keep a
 * socket for ever with each request, without an account, until there are no more for others.
 */
export function closeUnread(app: FastifyInstance, { lingerMs = LINGER_MS } = {}): void {
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete || raw.destroyed) return;
    const { socket } = raw;
    let { bytesRead } = socket;
    const timer = setInterval(() => {
      const isComing = socket.bytesRead - bytesRead >= LEAST_BYTES;
      bytesRead = socket.bytesRead;
      if (isComing && !raw.complete) return;
      clearInterval(timer);
      if (!raw.complete) socket.destroy();
    }, lingerMs).unref();
    socket.once('close', () => clearInterval(timer));
  });
}

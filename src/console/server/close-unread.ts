import type { FastifyInstance } from 'fastify';

/** Whoever still sends what was refused meanwhile, such as a large file, reads the answer in this time; Node throws the rest away. */
const LINGER_MS = 5_000;

/**
 * Closes connections whose request was answered before all of it came, and of which the rest does not come either. Node's own limit for
 * a whole request is not for us, since an upload may take hours; without any, whoever announces a body and sends none would keep a
 * socket for ever with each request, without an account, until there are no more for others.
 */
export function closeUnread(app: FastifyInstance, { lingerMs = LINGER_MS } = {}): void {
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete || raw.destroyed) return;
    const { socket } = raw;
    const timer = setTimeout(() => {
      if (!raw.complete) socket.destroy();
    }, lingerMs).unref();
    socket.once('close', () => clearTimeout(timer));
  });
}

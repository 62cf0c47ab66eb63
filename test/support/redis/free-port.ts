import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port that was free a moment ago, for Redis, which cannot choose one itself. It is below those that the system gives
 * to connections of its own accord (32,768 and up on Linux), so that none of the many of a test run takes it meanwhile,
 * nor while a server that was killed is started again; and so is the one 10,000 above it, which a cluster's nodes use too.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 22_700);
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const listener = createServer().listen(port, '127.0.0.1');
  const isListening = await once(listener, 'listening').then(
    () => true,
    () => false,
  );
  if (!isListening) return false;
  listener.close();
  await once(listener, 'close');
  return true;
}

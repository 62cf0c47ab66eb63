import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port that was free a moment ago, for Redis, which cannot choose one itself. It is below the ports that the system
 * assigns to outgoing connections (32,768 and up on Linux), so that no connection of the test run takes it meanwhile or
 * while a killed server is restarted. So is the port 10,000 above it, which cluster nodes use, too.
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

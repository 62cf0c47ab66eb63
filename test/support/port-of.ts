import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Has a server of a test listen on this machine, and answers its port. It ends with the test, and of HTTP its connections too. */
export async function portOf(server: Server & { closeAllConnections?: () => void }): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}

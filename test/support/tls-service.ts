import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A self-signed certificate for `service.test`, `localhost` and 127.0.0.1, valid until 2120. Its key is no secret. */
export const CERTIFICATE_PATH = fileURLToPath(new URL('./tls/service-certificate.pem', import.meta.url));
export const TLS_KEY_PATH = fileURLToPath(new URL('./tls/service-key.pem', import.meta.url));

/** The name in the certificate. It cannot be resolved, so a client reaches it only through a proxy. */
export const TLS_HOST = 'service.test';

/** A private authority, valid as long, and a certificate that it signed: a service at `localhost`. */
export const AUTHORITY_PATH = fileURLToPath(new URL('./tls/authority.pem', import.meta.url));
export const PRIVATE_IDENTITY = {
  certificatePath: fileURLToPath(new URL('./tls/private-certificate.pem', import.meta.url)),
  keyPath: fileURLToPath(new URL('./tls/private-key.pem', import.meta.url)),
};

/** Adds TLS in front of a server on this machine and offers HTTP/2 as well, like real services. Returns the port. */
export async function startTlsService(
  targetPort: number,
  { certificatePath, keyPath } = { certificatePath: CERTIFICATE_PATH, keyPath: TLS_KEY_PATH },
): Promise<number> {
  const server = createServer({
    key: readFileSync(keyPath),
    cert: readFileSync(certificatePath),
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  server.on('secureConnection', (socket) => {
    const target = connect(targetPort, '127.0.0.1');
    socket.pipe(target).pipe(socket);
    for (const end of [socket, target]) {
      end.on('error', () => {});
      end.on('close', () => {
        socket.destroy();
        target.destroy();
      });
    }
    onTestFinished(() => void socket.destroy());
  });
  server.on('tlsClientError', () => {});
  return portOf(server);
}

/**
 * Makes a server listen on this machine, and returns its port. The server and its HTTP connections end with the test.
 */
export async function portOf(server: Server & { closeAllConnections?: () => void }): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}

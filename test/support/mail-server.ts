import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { PRIVATE_IDENTITY } from './tls-service.ts';

/** A mail that was taken. */
export type TakenMail = { from: string; to: string[]; text: string; isSecure: boolean; user: string | undefined };

/**
 * A real mail server on this machine, which keeps what it takes. Its certificate is that of a private authority.
 *
 * @param options what it does otherwise: see the package
 */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const taken: TakenMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    key: readFileSync(PRIVATE_IDENTITY.keyPath),
    cert: readFileSync(PRIVATE_IDENTITY.certificatePath),
    onData: async (stream, { envelope, secure, user }, callback) => {
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      const to = envelope.rcptTo.map(({ address }) => address);
      const mail = await text(stream);
      taken.push({ from, to, text: mail, isSecure: secure, user: user === undefined ? undefined : String(user) });
      callback();
    },
    ...options,
  });
  // Of a client that breaks off: that is the client's own.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  return { port: (server.server.address() as AddressInfo).port, taken };
}

/** The reply that a mail server gives instead. */
export function refusal(responseCode: number, words = 'no'): Error & { responseCode: number } {
  return Object.assign(new Error(words), { responseCode });
}

import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { PRIVATE_IDENTITY } from './tls-service.ts';

/** An accepted mail. */
export type TakenMail = { from: string; to: string[]; text: string; isSecure: boolean; user: string | undefined };

/**
 * A real mail server on this machine that keeps accepted mails. Its certificate is signed by a private authority.
 *
 * @param options further options of the package
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
  // Errors of clients that disconnect belong to the client.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  return { port: (server.server.address() as AddressInfo).port, taken };
}

/** An error that makes the mail server answer with this code. */
export function refusal(responseCode: number, words = 'no'): Error & { responseCode: number } {
  return Object.assign(new Error(words), { responseCode });
}

import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Sent, Way } from '../way.ts';
import type { MailAddress } from './mail-address.ts';
import { codesOf, type MailError, meaningOfMailError } from './mail-answer.ts';
import { mailMessage } from './mail-message.ts';
import type { MailServer } from './smtp-url.ts';

/** For all of a try: some servers look for long at what they take (RFC 5321, section 4.5.3.2, allows minutes). */
const TRY_MS = 60_000;

/** To look up, to connect, and for each reply but the last. */
const STEP_MS = 10_000;

/** For the answer to QUIT, which changes nothing any more. */
const QUIT_MS = 1_000;

/** Notices by mail, one to all addresses. Each try has a connection of its own: there is one in a while. */
export function makeMail({
  server,
  from,
  to,
  tryMs = TRY_MS,
}: {
  server: MailServer;
  from: MailAddress;
  to: readonly string[];
  tryMs?: number;
}): Way {
  return {
    name: 'mail',
    where: server.host,
    async send(message, { signal }) {
      const mail = await mailMessage(message, { from, to });
      const connection = connect(server, tryMs);
      return new Promise<Sent>((resolve) => {
        const end = (sent: Sent) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
          resolve(sent);
        };
        const cut = (sent: Sent) => {
          end(sent);
          connection.close();
        };
        const stop = () =>
          cut({ is: 'failed', words: 'cut off when the process stopped', fault: 'ours', passes: true });
        const late = `${server.host} did not take the mail within ${tryMs / 1_000} s`;
        const timer = setTimeout(() => cut({ is: 'failed', words: late, fault: 'way', passes: true }), tryMs);
        const fail = (error: MailError) => cut(meaningOfMailError(error, server.host));
        if (signal.aborted) return stop();
        signal.addEventListener('abort', stop, { once: true });
        // Also after the end, when nobody waits for it any more.
        connection.on('error', fail);
        converse(connection, server, { from: from.address, to, mail })
          .then((words) => end({ is: 'delivered', words }))
          .catch(fail);
      });
    },
  };
}

function connect({ host, port, secure, requireTLS }: MailServer, tryMs: number): SMTPConnection {
  const stepMs = Math.min(STEP_MS, tryMs);
  return new SMTPConnection({
    host,
    port,
    secure,
    requireTLS,
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    dnsTimeout: stepMs,
    socketTimeout: tryMs,
    socketCloseTimeout: 0,
  });
}

/**
 * Greets, signs in, hands the mail over, and takes leave.
 *
 * @returns what else is to be known: that some addresses were refused, by their place in the setting
 */
async function converse(
  connection: SMTPConnection,
  { login }: MailServer,
  { from, to, mail }: { from: string; to: readonly string[]; mail: Buffer },
): Promise<string> {
  await new Promise<void>((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve())));
  if (login) {
    await new Promise<void>((resolve, reject) =>
      connection.login({ ...login }, (error) => (error ? reject(error) : resolve())),
    );
  }
  const refused = await new Promise<readonly MailError[]>((resolve, reject) =>
    connection.send({ from, to: [...to] }, mail, (error, info) =>
      error ? reject(error) : resolve(info.rejectedErrors ?? []),
    ),
  );
  connection.quit();
  setTimeout(() => connection.close(), QUIT_MS).unref();
  return refused.map((error) => refusedWords(error, to)).join(', ');
}

function refusedWords(error: MailError & { recipient?: string | undefined }, to: readonly string[]): string {
  return `address ${to.indexOf(error.recipient ?? '') + 1} of NOTIFY_SMTP_TO was refused (${codesOf(error)})`;
}

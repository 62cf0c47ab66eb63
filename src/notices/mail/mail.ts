import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Message, SendResult, Way } from '../way.ts';
import type { MailAddress } from './mail-address.ts';
import { codesOf, type MailError, meaningOfMailError } from './mail-answer.ts';
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
      return new Promise<SendResult>((resolve) => {
        const end = (sent: SendResult) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
          resolve(sent);
        };
        const cut = (sent: SendResult) => {
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

/**
 * A notice as a mail (RFC 5322), text and HTML of the same words. Its `Message-ID` is that of the notice, the same for each try, by which mail
 * servers and programs know the second copy; `Auto-Submitted` (RFC 3834) keeps absence notes from answering it.
 */
function mailMessage(
  { id, title, facts, atMs, account, link }: Message,
  { from, to }: { from: MailAddress; to: readonly string[] },
): Promise<Buffer> {
  const all = [...facts, { term: 'Account', what: account }];
  const foot = `Limitline, notice ${id}`;
  const lines = [title, '', ...all.map(({ term, what }) => `${term}: ${what}`)];
  const text = [...lines, ...(link === undefined ? [] : ['', link]), '', '-- ', foot].join('\n');
  const rows = all.map(({ term, what }) => `<tr><th align="left">${escaped(term)}</th><td>${escaped(what)}</td></tr>`);
  const page = link === undefined ? '' : `<p><a href="${escaped(link)}">Open in the console</a></p>`;
  const composer = new MailComposer({
    from: { name: from.name, address: from.address },
    to: to.map((address) => ({ name: '', address })),
    subject: `[Limitline] ${title}`,
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    date: new Date(atMs),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    text,
    html: `<!doctype html><html><body><p><strong>${escaped(title)}</strong></p><table cellpadding="4">${rows.join('')}</table>${page}<p><small>${escaped(foot)}</small></p></body></html>`,
    // Nothing of a notice is a file or an address to fetch, whatever it looks like.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** For HTML, in text and in an attribute's value in quotation marks. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

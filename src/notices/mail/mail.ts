import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { noConnectionWords } from '../../no-connection.ts';
import type { Message, SendResult, Way } from '../way.ts';
import type { MailAddress, MailServer } from './mail-settings.ts';

/**
 * Time limit of a whole attempt to send a mail, in ms. Some servers check a mail for long before they accept it (RFC 5321, section 4.5.3.2,
 * allows minutes).
 */
const TRY_MS = 60_000;

/** Time limit, in ms, for the DNS lookup, for connecting, and for each reply but the last. */
const STEP_MS = 10_000;

/** Time limit for the reply to QUIT, in ms; nothing depends on that reply. */
const QUIT_MS = 1_000;

/** Sends notices by mail, one mail to all addresses. Each attempt has its own connection, since notices are rare. */
export function makeMail(given: { server: MailServer; from: MailAddress; to: readonly string[]; tryMs?: number }): Way {
  const { server, from, to, tryMs = TRY_MS } = given;
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
          cut({ is: 'failed', words: 'the attempt was cut off when the process stopped', fault: 'ours', passes: true });
        const late = `${server.host} did not take the mail within ${tryMs / 1_000} s`;
        const timer = setTimeout(() => cut({ is: 'failed', words: late, fault: 'way', passes: true }), tryMs);
        const fail = (error: MailError) => cut(meaningOfMailError(error, server.host));
        if (signal.aborted) return stop();
        signal.addEventListener('abort', stop, { once: true });
        // The listener for errors stays: some errors come after the end of the attempt, when nobody awaits them.
        connection.on('error', fail);
        converse(connection, server, { from: from.address, to, mail })
          .then((words) => end({ is: 'delivered', words }))
          .catch(fail);
      });
    },
  };
}

/** An error for a mail that was not accepted: codes of the reply (RFC 5321, section 4.2) and the failed command. Its text is never shown. */
type MailError = Error & {
  code?: string | undefined;
  /** The error code of the operating system, such as ECONNREFUSED. Nodemailer puts a code of its own into `code`. */
  originalCode?: string | undefined;
  command?: string | undefined;
  response?: string | undefined;
  responseCode?: number | undefined;
};

/**
 * The meaning of a failed mail; pure. The fault behind a 4yz reply passes by itself. A 5yz reply to the mail's content is the fault of this
 * notice; any other 5yz reply is a fault of the settings. Without a reply the connection failed, and the mail may have arrived.
 */
function meaningOfMailError(error: MailError, host: string): SendResult {
  const { command = '', responseCode: code } = error;
  const failed = (words: string, fault: 'way' | 'notice', passes: boolean): SendResult => {
    return { is: 'failed', words: `${host} ${words}`, fault, passes };
  };
  if (code === undefined || code < 400) {
    if (error.code === 'EAUTH')
      return failed('offers no way to sign in that Limitline knows: see NOTIFY_SMTP_URL', 'way', false);
    return failed(`did not take the mail: ${reasonOf(error)}`, 'way', true);
  }
  const passes = code < 500;
  const says = codesOf(error);
  if (command.startsWith('AUTH'))
    return failed(`refused the user and password (${says}): see NOTIFY_SMTP_URL`, 'way', passes);
  if (command === 'STARTTLS')
    return failed(`makes no TLS connection (${says}), and without one no password is sent`, 'way', passes);
  if (command === 'MAIL FROM') return failed(`refused the sender (${says}): see NOTIFY_SMTP_FROM`, 'way', passes);
  if (command === 'RCPT TO') return failed(`refused every address of NOTIFY_SMTP_TO (${says})`, 'way', passes);
  if (command === 'DATA' && !passes) return failed(`refused this mail (${says})`, 'notice', false);
  return failed(`did not take the mail (${says})`, 'way', passes);
}

/** The codes in a server's reply, such as `550 5.1.1`: the reply's code, and its enhanced code (RFC 3463) if there is one. */
function codesOf({ response = '', responseCode = 0 }: Pick<MailError, 'response' | 'responseCode'>): string {
  const [, enhanced] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? [];
  return enhanced === undefined ? String(responseCode) : `${responseCode} ${enhanced}`;
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
 * One conversation with the mail server (SMTP): greets it, signs in, sends the mail, and quits.
 *
 * @returns which addresses were refused, by their position in the setting; '' for none
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
 * A notice as a mail (RFC 5322), with the same words as text and HTML. Its `Message-ID` is made from the notice's id, the same for each
 * attempt, so that mail programs recognize a second copy. `Auto-Submitted` (RFC 3834) prevents automatic replies.
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
    // A text in a notice must never be read as a file or fetched as a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Escapes a text for HTML, also within attribute values in quotation marks. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

function reasonOf({ message, originalCode, code, response }: MailError): string {
  const words = response === undefined ? message : 'its answer is not one of a mail server';
  const said = noConnectionWords(Object.assign(new Error(words), { code: originalCode ?? code }));
  // The shared words for failed connections name http and https. For mail they must name smtp and smtps, the schemes of NOTIFY_SMTP_URL.
  return said.replace('http:// instead of https://', 'smtp:// instead of smtps://');
}

import { noConnectionWords } from '../../no-connection.ts';
import type { SendResult } from '../way.ts';

/** What is known of a mail that was not taken: codes of the reply (RFC 5321, section 4.2) and where it came; its words are not repeated. */
export type MailError = Error & {
  code?: string | undefined;
  /** The code of the system, behind that of the package. */
  originalCode?: string | undefined;
  /** Where in the conversation it was. */
  command?: string | undefined;
  response?: string | undefined;
  responseCode?: number | undefined;
};

/**
 * What it means that a mail was not taken; pure. Replies of the 4yz pass by themselves. One of the 5yz to the mail itself is about this
 * notice, any other about the settings. Without a reply the connection failed, and whether the mail arrived may be unknown.
 */
export function meaningOfMailError(error: MailError, host: string): SendResult {
  const { command = '', responseCode: code } = error;
  const failed = (words: string, fault: 'way' | 'notice', passes: boolean): SendResult => {
    return { is: 'failed', words: `${host} ${words}`, fault, passes };
  };
  if (code === undefined || code < 400) {
    if (error.code === 'EAUTH')
      return failed('offers no way to sign in that is known here: see NOTIFY_SMTP_URL', 'way', false);
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

/** `550 5.1.1`: the reply's code, and the enhanced one (RFC 3463) where it gives one. */
export function codesOf({ response = '', responseCode = 0 }: Pick<MailError, 'response' | 'responseCode'>): string {
  const [, enhanced] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? [];
  return enhanced === undefined ? String(responseCode) : `${responseCode} ${enhanced}`;
}

function reasonOf({ message, originalCode, code, response }: MailError): string {
  const words = response === undefined ? message : 'it answers what no mail server does';
  const said = noConnectionWords(Object.assign(new Error(words), { code: originalCode ?? code }));
  // The scheme that this setting has.
  return said.replace('http:// instead of https://', 'smtp:// instead of smtps://');
}

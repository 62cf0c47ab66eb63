import MailComposer from 'nodemailer/lib/mail-composer';
import type { Message } from '../way.ts';
import type { MailAddress } from './mail-address.ts';

/**
 * A notice as a mail (RFC 5322), text and HTML of the same words. Its `Message-ID` is that of the notice, the same for each try, by which mail
 * servers and programs know the second copy; `Auto-Submitted` (RFC 3834) keeps absence notes from answering it.
 */
export function mailMessage(
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

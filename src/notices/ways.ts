import { chooseProxy } from '../proxy.ts';
import { makeMail } from './mail/mail.ts';
import { readMailAddress, readSmtpUrl } from './mail/mail-settings.ts';
import type { Notice } from './notice.ts';
import type { NoticeSettings } from './notice-settings.ts';
import type { Message, Way } from './way.ts';
import { makeWebhook } from './webhook/webhook.ts';

/** Opens the configured channels; the settings were checked before. */
export function openWays(settings: NoticeSettings): Way[] {
  const { NOTIFY_WEBHOOK_URL: url, NOTIFY_WEBHOOK_FORM: form } = settings;
  const { NOTIFY_SMTP_URL, NOTIFY_SMTP_FROM, NOTIFY_SMTP_TO } = settings;
  const ways: Way[] = [];
  if (url !== undefined) ways.push(makeWebhook({ url, form, proxy: chooseProxy(url, settings) }));
  const server = NOTIFY_SMTP_URL === undefined ? undefined : readSmtpUrl(NOTIFY_SMTP_URL);
  const from = readMailAddress(NOTIFY_SMTP_FROM ?? '');
  if (server && from) ways.push(makeMail({ server, from, to: NOTIFY_SMTP_TO }));
  return ways;
}

/** The account, and the URL under which people open the console, if set. */
type MessagePlace = { account: string; consoleUrl: string | undefined };

/** A notice in the form in which it is sent. */
export function makeMessage(
  { id, notice }: { id: string; notice: Omit<Notice, 'kind'> & { kind: Message['kind'] } },
  { account, consoleUrl }: MessagePlace,
): Message {
  return { ...notice, id, account, link: consoleUrl === undefined ? undefined : linkOf(consoleUrl, notice.path) };
}

/** The URL of a console's page, from the console's URL and the page's path; undefined if the path leads to another site. */
function linkOf(consoleUrl: string, path: string): string | undefined {
  const link = `${consoleUrl}/${path.replace(/^\/+/, '')}`;
  return URL.canParse(link) && new URL(link).origin === new URL(consoleUrl).origin ? link : undefined;
}

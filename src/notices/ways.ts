import { chooseProxy } from '../proxy.ts';
import { makeMail } from './mail/mail.ts';
import { readMailAddress } from './mail/mail-address.ts';
import { readSmtpUrl } from './mail/smtp-url.ts';
import type { NoticeSettings } from './notice-settings.ts';
import type { Way } from './way.ts';
import { makeWebhook } from './webhook/webhook.ts';

/** Opens the configured channels; the settings were checked before. */
export function openWays(settings: NoticeSettings): Way[] {
  const {
    NOTIFY_WEBHOOK_URL: url,
    NOTIFY_WEBHOOK_FORM: form,
    NOTIFY_SMTP_URL,
    NOTIFY_SMTP_FROM,
    NOTIFY_SMTP_TO,
  } = settings;
  const ways: Way[] = [];
  if (url !== undefined) ways.push(makeWebhook({ url, form, proxy: chooseProxy(url, settings) }));
  const server = NOTIFY_SMTP_URL === undefined ? undefined : readSmtpUrl(NOTIFY_SMTP_URL);
  const from = readMailAddress(NOTIFY_SMTP_FROM ?? '');
  if (server && from) ways.push(makeMail({ server, from, to: NOTIFY_SMTP_TO }));
  return ways;
}

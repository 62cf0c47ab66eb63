import { messageOf } from '../errors.ts';
import { chooseProxy, type ProxySettings } from '../proxy.ts';
import { readMailAddress, readSmtpUrl } from './mail/mail-settings.ts';
import type { WayName } from './way.ts';

export type NoticeSettings = ProxySettings & {
  NOTIFY_WEBHOOK_URL?: string | undefined;
  NOTIFY_WEBHOOK_FORM: 'slack' | 'teams' | 'json';
  NOTIFY_SMTP_URL?: string | undefined;
  NOTIFY_SMTP_FROM?: string | undefined;
  NOTIFY_SMTP_TO: readonly string[];
};

/** A configured channel in words: the receiving host, and in which form or to how many addresses notices go there. */
export type GivenWay = { name: WayName; where: string; how: string };

/** The configured channels, without anything secret. */
export function waysGiven(given: NoticeSettings): GivenWay[] {
  const { NOTIFY_WEBHOOK_URL: webhook, NOTIFY_WEBHOOK_FORM: form, NOTIFY_SMTP_URL: smtp, NOTIFY_SMTP_TO: to } = given;
  const ways: GivenWay[] = [];
  if (webhook !== undefined)
    ways.push({ name: 'webhook', where: new URL(webhook).host, how: `as ${FORM_WORDS[form]}` });
  if (smtp !== undefined) {
    const how = `to ${to.length} ${to.length === 1 ? 'address' : 'addresses'}`;
    ways.push({ name: 'mail', where: readSmtpUrl(smtp)?.host ?? '', how });
  }
  return ways;
}

const FORM_WORDS = { slack: 'Slack reads it', teams: 'Teams reads it', json: 'JSON' } as const;

/**
 * Most addresses of the mail channel. Most servers accept a hundred recipients (RFC 5321, section 4.5.3.1.8); for more people there are
 * mailing lists.
 */
const MOST_ADDRESSES = 50;

/** Given settings without effect, one sentence each. */
export function idleNoticeSettings(values: Readonly<Record<string, string>>): string[] {
  const isIdle = values.NOTIFY_WEBHOOK_FORM !== undefined && values.NOTIFY_WEBHOOK_URL === undefined;
  return isIdle ? ['NOTIFY_WEBHOOK_FORM has no effect without NOTIFY_WEBHOOK_URL'] : [];
}

/** Faults in the combination of these settings, one sentence each without a full stop; secrets are not repeated. */
export function noticeFaults(settings: NoticeSettings): string[] {
  return [...mailFaults(settings), ...webhookFaults(settings)];
}

function mailFaults({ NOTIFY_SMTP_URL: url, NOTIFY_SMTP_FROM: from, NOTIFY_SMTP_TO: to }: NoticeSettings): string[] {
  const faults: string[] = [];
  const others = [...(from === undefined ? [] : ['NOTIFY_SMTP_FROM']), ...(to.length === 0 ? [] : ['NOTIFY_SMTP_TO'])];
  if (url === undefined) {
    if (others.length > 0) {
      faults.push(
        `${others.join(' and ')} given without NOTIFY_SMTP_URL, so that no mail would be sent; name the mail server`,
      );
    }
  } else if (others.length < 2) {
    faults.push('NOTIFY_SMTP_URL is given, so NOTIFY_SMTP_FROM and NOTIFY_SMTP_TO are needed too');
  }
  if (from !== undefined && readMailAddress(from) === undefined) {
    faults.push(
      'NOTIFY_SMTP_FROM must be a mail address such as limitline@example.com or Limitline <limitline@example.com>',
    );
  }
  const wrong = to.findIndex((one) => readMailAddress(one)?.address !== one);
  if (wrong >= 0) faults.push(`entry ${wrong + 1} of NOTIFY_SMTP_TO is not a mail address such as ops@example.com`);
  if (to.length > MOST_ADDRESSES) {
    faults.push(
      `NOTIFY_SMTP_TO names ${to.length} addresses, more than the ${MOST_ADDRESSES} allowed; name a mailing list`,
    );
  }
  return faults;
}

/** Faults in the settings of the webhook. Its proxy is checked at start; a wrong one would otherwise show only at the first notice. */
function webhookFaults(settings: NoticeSettings): string[] {
  if (settings.NOTIFY_WEBHOOK_URL === undefined) return [];
  try {
    chooseProxy(settings.NOTIFY_WEBHOOK_URL, settings);
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

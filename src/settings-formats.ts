import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { faultOfRange } from './addresses.ts';
import { readSmtpUrl } from './notices/mail/mail-settings.ts';
import { readGroupRoles, splitGroupRoles } from './people/oidc/group-roles.ts';
import { ROLES } from './people/person.ts';
import { faultOfRedisUrl } from './redis/redis-url.ts';
import { readSchedule } from './schedule/read-schedule.ts';
import { readMeanings, splitMeanings } from './status-meaning.ts';

/** Normalizes an account that is a URL: lower-case host, no default port, user, final slash, query or fragment. */
export function normalAccount(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) return text.toLowerCase();
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

export function wholeNumber(min: number, max: number, unit = '') {
  const fault = `must be a whole number from ${min} to ${max}${unit && ` (${unit})`}`;
  return z
    .string()
    .regex(/^\d+$/, fault)
    .transform(Number)
    .refine((value) => value >= min && value <= max, fault);
}

/**
 * Statuses that SERVICE_NOT_MADE may contain: those whose outcome is otherwise unknown, 303, 408 and 500 to 599. 401 concerns the token, and any
 * other 4xx refuses the row and made nothing anyway; waiting for it to pass would stop all calls because of one row. 429 is always included.
 */
export const statusList = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine(
    (statuses) => statuses.every((status) => /^(303|408|429|5\d\d)$/.test(status)),
    'must be statuses from 500 to 599, 303 or 408, separated by commas',
  )
  .transform((statuses) => statuses.map(Number))
  .default([]);

/** Entries `status=meaning`; see readMeanings. */
export const statusMeanings = z
  .string()
  .transform((text) => splitMeanings(text))
  .superRefine((entries, context) => {
    for (const message of readMeanings(entries).faults) context.addIssue({ code: 'custom', message });
  })
  .default([]);

const CURRENCIES = Intl.supportedValuesOf('currency');

/** Entries `EUR=700000`: above which amount statements are advised, by currency. */
export const amountsByCurrency = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine(
    (entries) =>
      entries.every((entry) => /^[A-Z]{3}=\d{1,12}$/.test(entry) && CURRENCIES.includes(entry.slice(0, 3))) &&
      new Set(entries.map((entry) => entry.slice(0, 3))).size === entries.length,
    'must be whole amounts by ISO 4217 code, each once, such as EUR=700000,GBP=600000',
  )
  .transform(
    (entries): Readonly<Record<string, number>> =>
      Object.fromEntries(entries.map((entry) => [entry.slice(0, 3), Number(entry.slice(4))])),
  )
  .optional();

/** Names of columns, which may have spaces in them. */
export const columnList = z.string().transform((text) => text.split(/\s*,\s*/).filter(Boolean));

export const textList = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean));

/** Names of people. One with an ending in parentheses, as that of a provider's person (`alice (sso 4f6d2a)`), ends at its comma alone. */
export const personList = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .flatMap((part) => (part.includes('(') ? part : part.split(' ')))
    .filter(Boolean),
);

export const addressList = textList.superRefine((entries, context) => {
  for (const entry of entries) {
    const fault = faultOfRange(entry);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: `${JSON.stringify(entry)} in it ${fault}` });
  }
});

export const groupRoles = z
  .string()
  .transform(splitGroupRoles)
  .superRefine((pairs, context) => {
    for (const pair of pairs.filter((one) => readGroupRoles(one) === undefined)) {
      const message = `${JSON.stringify(pair)} in it is not group=role+role, with roles out of ${ROLES.join(', ')}`;
      context.addIssue({ code: 'custom', message });
    }
  });

export const amountText = z
  .string()
  .regex(/^\d{1,30}(\.\d{1,10})?$/, 'must be an amount such as 250000 or 250000.50')
  .regex(
    /^(?!\d{1,3}\.\d{3}$)/,
    'must not have three digits behind its point, which may separate thousands: write 250000 or 250.00',
  );

export const onOff = z.enum(['on', 'off'], 'must be on or off');

export const unknownPolicy = z.enum(['hold', 'resend'], 'must be hold or resend');

export const HTTP_FAULT = 'must be an address that begins with http:// or https://';

/** URL also takes `http:/user:password@host`, with one slash or three, where the pattern below would leave the password in what is shown. */
const isHttpUrl = (text: string): boolean => /^https?:\/\/[^/\\]/i.test(text) && URL.canParse(text);

export const httpUrl = z
  .string()
  .refine(isHttpUrl, HTTP_FAULT)
  .regex(/^[^?#]*$/, 'must have no ? or #: the paths of calls and pages are put behind it')
  // Calls do not use a user and password in the URL, so they are removed wherever the URL is shown.
  .transform((text) => text.replace(/\/+$/, '').replace(/^(https?:\/\/)[^/]*@/i, '$1'));

export const scheduleText = z.string().superRefine((text, context) => {
  for (const message of readSchedule(text).faults) context.addIssue({ code: 'custom', message });
});

/** A file that exists and has no faults. A relative path would depend on where a process is started. */
export const checkedFile = (example: string, read: (path: string) => { faults?: string[] | undefined }) =>
  z
    .string()
    .refine(isAbsolute, `must be a whole path, such as ${example}`)
    .superRefine((path, context) => {
      const { faults = [] } = isAbsolute(path) ? read(path) : {};
      for (const message of faults) context.addIssue({ code: 'custom', message });
    });

/** A webhook's URL. Unlike the service's URL it is kept as it is: such URLs are secrets as a whole. */
export const noticeUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), HTTP_FAULT);

export const smtpUrl = z
  .string()
  .refine(
    (text) => readSmtpUrl(text) !== undefined,
    'must be smtp://host:port or smtps://host:port and nothing more; user:password@ may stand before the host, with special characters percent-encoded',
  );

export const redisUrl = z.string().superRefine((text, context) => {
  const message = faultOfRedisUrl(text);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { faultOfRange } from './addresses.ts';
import { readEventMapping } from './events/event-mapping.ts';
import { LOG_LEVELS } from './log.ts';
import { readSmtpUrl } from './notices/mail/mail-settings.ts';
import { NOTICE_KINDS, type NoticeKind } from './notices/notice.ts';
import { readGroupRoles, splitGroupRoles } from './people/oidc/group-roles.ts';
import { ROLES } from './people/person.ts';
import { readSchedule } from './schedule/read-schedule.ts';
import { readSessionFile } from './service/session-file.ts';
import { readMeanings, splitMeanings } from './status-meaning.ts';

/** The stand-in's credentials. It rejects all others, so that mistakes show on the first try. */
export const STAND_IN_CREDENTIALS = {
  clientId: 'limitline-sandbox',
  clientSecret: 'limitline-sandbox-secret',
} as const;

/** Normalizes an account that is a URL: lower-case host, no default port, user, final slash, query or fragment. */
export function normalAccount(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) return text.toLowerCase();
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

function wholeNumber(min: number, max: number, unit = '') {
  const fault = `must be a whole number from ${min} to ${max}${unit && ` (${unit})`}`;
  return z
    .string()
    .regex(/^\d+$/, fault)
    .transform(Number)
    .refine((value) => value >= min && value <= max, fault);
}

/**
 * Statuses that SERVICE_NOT_MADE may contain: those whose outcome is otherwise unknown, 408 and 500 to 599. 401 concerns the token, and any
 * other 4xx refuses the row and made nothing anyway; waiting for it to pass would stop all calls because of one row. 429 is always included.
 */
const statusList = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine(
    (statuses) => statuses.every((status) => /^(408|429|5\d\d)$/.test(status)),
    'must be statuses from 500 to 599, or 408, separated by commas',
  )
  .transform((statuses) => statuses.map(Number))
  .default([]);

/** Entries `status=meaning`; see readMeanings. */
const statusMeanings = z
  .string()
  .transform((text) => splitMeanings(text))
  .superRefine((entries, context) => {
    for (const message of readMeanings(entries).faults) context.addIssue({ code: 'custom', message });
  })
  .default([]);

const CURRENCIES = Intl.supportedValuesOf('currency');

/** Entries `EUR=700000`: above which amount statements are advised, by currency. */
const amountsByCurrency = z
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

const list = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean));

const addressList = list.superRefine((entries, context) => {
  for (const entry of entries) {
    const fault = faultOfRange(entry);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: `${JSON.stringify(entry)} in it ${fault}` });
  }
});

const groupRoles = z
  .string()
  .transform(splitGroupRoles)
  .superRefine((pairs, context) => {
    for (const pair of pairs.filter((one) => readGroupRoles(one) === undefined)) {
      const message = `${JSON.stringify(pair)} in it is not group=role+role, with roles out of ${ROLES.join(', ')}`;
      context.addIssue({ code: 'custom', message });
    }
  });

const sum = z.string().regex(/^\d{1,30}(\.\d{1,10})?$/, 'must be an amount such as 250000 or 250000.50');

const onOff = z.enum(['on', 'off'], 'must be on or off');

const unknownPolicy = z.enum(['hold', 'resend'], 'must be hold or resend');

const HTTP_FAULT = 'must be an address that begins with http:// or https://';

const httpUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), HTTP_FAULT)
  // Calls do not use a user and password in the URL, so they are removed wherever the URL is shown.
  .transform((text) => text.replace(/\/+$/, '').replace(/^(https?:\/\/)[^/?#]*@/i, '$1'));

const scheduleText = z.string().superRefine((text, context) => {
  for (const message of readSchedule(text).faults) context.addIssue({ code: 'custom', message });
});

/** A file that exists and has no faults. A relative path would depend on where a process is started. */
const checkedFile = (example: string, read: (path: string) => { faults?: string[] | undefined }) =>
  z
    .string()
    .refine(isAbsolute, `must be a whole path, such as ${example}`)
    .superRefine((path, context) => {
      const { faults = [] } = isAbsolute(path) ? read(path) : {};
      for (const message of faults) context.addIssue({ code: 'custom', message });
    });

/** A webhook's URL. Unlike the service's URL it is kept as it is: such URLs are secrets as a whole. */
const noticeUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), HTTP_FAULT);

const smtpUrl = z
  .string()
  .refine(
    (text) => readSmtpUrl(text) !== undefined,
    'must be smtp://host:port or smtps://host:port and nothing more; user:password@ may stand before the host, with special characters percent-encoded',
  );

/** Checks the scheme only; opening Redis reads the whole URL and reports its faults. */
const redisUrl = z
  .string()
  .regex(
    /^(rediss?|redis\+sentinel):\/\//,
    'must begin with redis://, rediss:// or redis+sentinel://; for a cluster, give several addresses separated by commas',
  );

/** Every setting: its format and its default. */
export const settingsSchema = z.object({
  REDIS_URL: redisUrl.optional(),
  REDIS_REPLICAS: wholeNumber(0, 100, 'replicas').optional(),
  LIMITLINE_DATA: z.string(),
  /** Read by trust.ts, from the environment only. */
  LIMITLINE_TRUST_ENV: onOff.default('off'),
  LIMITLINE_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,40}$/, 'must be up to 40 letters, digits, dots, hyphens or underscores')
    .default('limitline'),
  /** The source of all secrets of the installation; the same on all its hosts. */
  LIMITLINE_SECRET: z
    .string()
    .regex(/^[!-~]{32,}$/, 'must be 32 characters or more, without spaces')
    .optional(),
  LIMITLINE_AUDIT_DAYS: wholeNumber(1, 36_500, 'days').optional(),
  SERVICE_URL: httpUrl.optional(),
  SERVICE_ACCOUNT: z
    .string()
    .regex(
      /^[\p{L}\p{N}][\p{L}\p{N}._:/@+-]{0,99}$/u,
      'must be up to 100 letters, digits and . _ - : / @ +, beginning with a letter or digit',
    )
    .transform(normalAccount)
    .optional(),
  SERVICE_CLIENT_ID: z.string().default(STAND_IN_CREDENTIALS.clientId),
  SERVICE_CLIENT_SECRET: z.string().default(STAND_IN_CREDENTIALS.clientSecret),
  HTTPS_PROXY: z.string().optional(),
  HTTP_PROXY: z.string().optional(),
  NO_PROXY: z.string().optional(),
  /** The field of a token response that has the token. The default is of RFC 6749, section 5.1: the service does not show the name. */
  SERVICE_TOKEN_FIELD: z.string().default('access_token'),
  SERVICE_TOKEN_LIFETIME_S: wholeNumber(1, 86_400, 'seconds').default(600),
  SERVICE_RATE_PER_S: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a decimal number of calls a second')
    .transform(Number)
    .refine((rate) => rate >= 0.01 && rate <= 100_000, 'must be 0.01 to 100000 calls a second')
    .optional(),
  SERVICE_CONCURRENCY: wholeNumber(1, 1_000, 'calls').default(32),
  SERVICE_TIMEOUT_MS: wholeNumber(100, 600_000, 'milliseconds').default(30_000),
  SERVICE_IDEMPOTENCY_HEADER: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'must be the name of an HTTP header (RFC 9110, section 5.1)')
    .optional(),
  SERVICE_NOT_MADE: statusList,
  SERVICE_ANSWER_CHECK: z.enum(['hold', 'warn'], 'must be hold or warn').default('hold'),
  /** The file that describes the call for a hosted session, which the service does not show; without it none is asked for. */
  SERVICE_SESSION_FILE: checkedFile('/etc/limitline/session.json', readSessionFile).optional(),
  ON_UNKNOWN_COMPANY: unknownPolicy.default('hold'),
  ON_UNKNOWN_DOCUMENT: unknownPolicy.default('resend'),
  ON_UNKNOWN_LIMIT: unknownPolicy.default('hold'),
  STATUS_MEANINGS: statusMeanings,
  /** A limit that is under review for more days than this is named in the nightly report; undefined: none is. */
  REVIEW_DAYS: wholeNumber(1, 36_500, 'days').optional(),
  CANARY_REFUSALS: wholeNumber(0, 1_000_000, 'answers').default(10),
  REQUIRED_COLUMNS: list.default([]),
  ADVISE_STATEMENTS_ABOVE: amountsByCurrency,
  SEARCH_INDEX: onOff.default('on'),
  /** A portfolio with a larger sum waits for another person's approval, and so do rows by which a buyer gets more within the window. */
  APPROVE_ABOVE: sum.optional(),
  APPROVE_WINDOW_DAYS: wholeNumber(0, 366, 'days').default(7),
  /** The most that one person may bring in within the window without another's approval. */
  APPROVE_PERSON_ABOVE: sum.optional(),
  APPROVE_ALWAYS: onOff.default('off'),
  MAX_DOCUMENT_MB: wholeNumber(1, 10_000, 'megabytes').default(20),
  CONSOLE_HOST: z.string().default('127.0.0.1'),
  CONSOLE_PORT: wholeNumber(0, 65_535).default(3000),
  /** Whether operators see the details of jobs, on BullMQ's board. */
  QUEUE_BOARD: onOff.default('off'),
  /** The largest upload, all its files together; each mended version of it is a copy. */
  CONSOLE_UPLOAD_MB: wholeNumber(1, 100_000, 'megabytes').default(1_024),
  /** The URL under which people open the console, if it differs from the address that it listens on. */
  CONSOLE_URL: httpUrl.optional(),
  CONSOLE_TLS_CERT_FILE: z.string().optional(),
  CONSOLE_TLS_KEY_FILE: z.string().optional(),
  /** Addresses, ranges such as 10.0.0.0/8, or `loopback`: proxies whose word on the client's address is believed. */
  CONSOLE_TRUST_PROXY: addressList.default([]),
  /** The identity provider's issuer, exactly as the provider writes it, including a final slash. */
  CONSOLE_OIDC_ISSUER: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), HTTP_FAULT)
    .optional(),
  CONSOLE_OIDC_CLIENT_ID: z.string().optional(),
  CONSOLE_OIDC_CLIENT_SECRET: z.string().optional(),
  CONSOLE_OIDC_SCOPES: list.default(['openid', 'profile', 'email']),
  /** The claim of the ID token that has a person's groups. */
  CONSOLE_OIDC_GROUPS_CLAIM: z.string().default('groups'),
  /** `group=role+role, group=role`: the roles of each group's people. */
  CONSOLE_OIDC_ROLES: groupRoles.default([]),
  /** The schedule of nightly tasks: see src/schedule. */
  LIMITLINE_SCHEDULE: scheduleText.optional(),
  /** The drop folder. A relative path would depend on where a process is started. */
  LIMITLINE_INBOX: z.string().refine(isAbsolute, 'must be a whole path, such as /srv/limitline/inbox').optional(),
  /** Name of the kept mapping of columns by which dropped files are read. */
  LIMITLINE_INBOX_MAPPING: z.string().optional(),
  /** The only users who may approve dropped files. */
  INBOX_APPROVERS: list.default([]),
  NOTIFY_WEBHOOK_URL: noticeUrl.optional(),
  NOTIFY_WEBHOOK_FORM: z.enum(['slack', 'teams', 'json'], 'must be slack, teams or json').default('json'),
  NOTIFY_SMTP_URL: smtpUrl.optional(),
  NOTIFY_SMTP_FROM: z.string().optional(),
  NOTIFY_SMTP_TO: list.default([]),
  /** The kinds of notices that are sent; all if none is named. */
  NOTIFY_ABOUT: list
    .refine(
      (kinds) => kinds.every((kind) => NOTICE_KINDS.includes(kind as NoticeKind)),
      `must be some of ${NOTICE_KINDS.join(', ')}`,
    )
    .transform((kinds) => kinds as NoticeKind[])
    .default([]),
  /** People are notified above this percentage of a portfolio's ended rows that are refused or held. */
  NOTIFY_FAILURES_ABOVE: wholeNumber(0, 100, 'percent').default(10),
  NOTIFY_AWAY_AFTER_MIN: wholeNumber(1, 10_080, 'minutes').default(10),
  /** People are notified above this percentage of the disk, or of Redis' memory, in use. */
  NOTIFY_FULL_ABOVE: wholeNumber(1, 100, 'percent').default(90),
  /** Finished portfolios older than this are archived at night; without it none are. */
  LIMITLINE_KEEP_DAYS: wholeNumber(1, 36_500, 'days').optional(),
  /** Where to listen for the service's events; nowhere without a port. */
  EVENTS_HOST: z.string().default('127.0.0.1'),
  EVENTS_PORT: wholeNumber(0, 65_535).optional(),
  /** The last part of the URL that the platform gives the service; whoever knows it can post events. */
  EVENTS_SECRET: z
    .string()
    .regex(/^[A-Za-z0-9_-]{24,200}$/, 'must be 24 to 200 letters, digits, - or _; openssl rand -hex 32 makes one')
    .optional(),
  EVENTS_MAX_KB: wholeNumber(1, 10_240, 'kilobytes').default(256),
  EVENTS_PER_SECOND: wholeNumber(1, 100_000, 'events a second').default(2_000),
  /** The most space that all kept events together may take in Redis; further ones are rejected until older ones expire. */
  EVENTS_KEEP_MB: wholeNumber(1, 100_000, 'megabytes').default(256),
  EVENTS_KEEP_DAYS: wholeNumber(1, 36_500, 'days').default(90),
  /** The file with the JSON pointers by which events say what became of limits; without it they change nothing. */
  EVENTS_MAPPING: checkedFile('/etc/limitline/events.json', readEventMapping).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]{16,}$/, 'must be 16 characters or more, without spaces')
    .optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
});

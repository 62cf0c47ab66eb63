import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { readEventMapping } from './events/event-mapping.ts';
import { LOG_LEVELS } from './log.ts';
import { NOTICE_KINDS, type NoticeKind } from './notices/notice.ts';
import { readSessionFile } from './service/session-file.ts';
import {
  addressList,
  amountsByCurrency,
  amountText,
  checkedFile,
  groupRoles,
  HTTP_FAULT,
  httpUrl,
  normalAccount,
  noticeUrl,
  onOff,
  redisUrl,
  scheduleText,
  smtpUrl,
  statusList,
  statusMeanings,
  textList,
  unknownPolicy,
  wholeNumber,
} from './settings-formats.ts';

/** The stand-in's credentials. It rejects all others, so that mistakes show on the first try. */
export const STAND_IN_CREDENTIALS = {
  clientId: 'limitline-sandbox',
  clientSecret: 'limitline-sandbox-secret',
} as const;

/** Every setting: its format and its default. The table of docs/settings.md is made from these comments (`npm run pages`). */
export const settingsSchema = z.object({
  /**
   * `redis://`, `rediss://` or `redis+sentinel://`; a cluster as several addresses, separated by commas. Without it Limitline runs a Redis
   * of its own in the data folder.
   */
  REDIS_URL: redisUrl.optional(),
  /** How many replicas must know of a call before it is sent; 0 for none. Without it: the most that were ever seen. */
  REDIS_REPLICAS: wholeNumber(0, 100, 'replicas').optional(),
  /** The data folder (below): its own Redis, imported files, documents, results. Without it: the user's data folder. */
  LIMITLINE_DATA: z.string(),
  /**
   * Counts in the environment alone. `on` uses a `.env` or `.limitline` of the working directory though it belongs to somebody else, or
   * others can write to it. With `off` that ends each command with status 1.
   */
  LIMITLINE_TRUST_ENV: onOff.default('off'),
  /** The prefix of all keys in Redis. */
  LIMITLINE_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,40}$/, 'must be up to 40 letters, digits, dots, hyphens or underscores')
    .default('limitline'),
  /**
   * What the keys of the installation come from, 32 characters or more: the same on all of its hosts (docs/users.md). Without it, one is
   * made and kept in the data folder.
   */
  LIMITLINE_SECRET: z
    .string()
    .regex(/^[!-~]{32,}$/, 'must be 32 characters or more, without spaces')
    .optional(),
  /**
   * Days after which entries of the audit trail are cut off at night; more than `LIMITLINE_KEEP_DAYS`, so that it is known who did what to
   * each row. Without it entries stay for ever.
   */
  LIMITLINE_AUDIT_DAYS: wholeNumber(1, 36_500, 'days').optional(),
  /** The service's base address. A user and password in it are left out. Without it calls go to the stand-in. */
  SERVICE_URL: httpUrl.optional(),
  /** The account that everything belongs to. Without it: the service's address, or `stand-in`. */
  SERVICE_ACCOUNT: z
    .string()
    .regex(
      /^[\p{L}\p{N}][\p{L}\p{N}._:/@+-]{0,99}$/u,
      'must be up to 100 letters, digits and . _ - : / @ +, beginning with a letter or digit',
    )
    .transform(normalAccount)
    .optional(),
  /** The service's credentials, needed with `SERVICE_URL`. The default is the stand-in's. */
  SERVICE_CLIENT_ID: z.string().default(STAND_IN_CREDENTIALS.clientId),
  /** As `SERVICE_CLIENT_ID`. */
  SERVICE_CLIENT_SECRET: z.string().default(STAND_IN_CREDENTIALS.clientSecret),
  /** The proxy for a service with `https://`: docs/operating.md#behind-a-proxy. */
  HTTPS_PROXY: z.string().optional(),
  /** The proxy for a service with `http://`. */
  HTTP_PROXY: z.string().optional(),
  /** Hosts that are reached without a proxy. */
  NO_PROXY: z.string().optional(),
  /** Where the token stands in the token answer. The default is of RFC 6749, section 5.1: the service does not show the name. */
  SERVICE_TOKEN_FIELD: z.string().default('access_token'),
  /** Seconds that a token is good for, where the answer states no `expires_in` of a second or more. More than a day is cut to a day. */
  SERVICE_TOKEN_LIFETIME_S: wholeNumber(1, 86_400, 'seconds').default(600),
  /** A ceiling for calls a second, all workers together. Without it the pace is found out. */
  SERVICE_RATE_PER_S: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a decimal number of calls a second')
    .transform(Number)
    .refine((rate) => rate >= 0.01 && rate <= 100_000, 'must be 0.01 to 100000 calls a second')
    .optional(),
  /** Calls in flight of one worker process. A hosted session that is in flight when limits come is not counted. */
  SERVICE_CONCURRENCY: wholeNumber(1, 1_000, 'calls').default(32),
  /** Milliseconds that one call may take, from sending to the whole answer. */
  SERVICE_TIMEOUT_MS: wholeNumber(100, 600_000, 'milliseconds').default(30_000),
  /** The header that makes a repeated call safe, if the service honours one. */
  SERVICE_IDEMPOTENCY_HEADER: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'must be the name of an HTTP header (RFC 9110, section 5.1)')
    .optional(),
  /** Statuses, besides 429, by which the service says that it made nothing, such as `503`: out of 408 and 500 to 599. */
  SERVICE_NOT_MADE: statusList,
  /**
   * A limit that is answered with another company, another amount or the id of another limit: `hold` holds the row for a person, `warn`
   * takes the answer and warns.
   */
  SERVICE_ANSWER_CHECK: z.enum(['hold', 'warn'], 'must be hold or warn').default('hold'),
  /**
   * A JSON file, by its whole path, that describes the call for a hosted session, which the service does not show
   * (docs/service.md#hosted-session). Without it none is asked for.
   */
  SERVICE_SESSION_FILE: checkedFile('/etc/limitline/session.json', readSessionFile).optional(),
  /** When the outcome of a call for a company is unknown: `hold` the row for a person, or `resend` it, at the risk of a second company. */
  ON_UNKNOWN_COMPANY: unknownPolicy.default('hold'),
  /** As `ON_UNKNOWN_COMPANY`, for the upload of a document. */
  ON_UNKNOWN_DOCUMENT: unknownPolicy.default('resend'),
  /** As `ON_UNKNOWN_COMPANY`, for the request of a limit. With `resend` a limit may be asked for twice. */
  ON_UNKNOWN_LIMIT: unknownPolicy.default('hold'),
  /**
   * What statuses mean that the service does not explain, such as `in_progress=review,rejected=declined`: `approved`, `review` or
   * `declined`. It goes before what `limitline statuses` was told (docs/outcomes.md#outcomes).
   */
  STATUS_MEANINGS: statusMeanings,
  /**
   * The nightly report names rows that are under review for longer than so many days, by portfolio (docs/nightly.md). Without it none is
   * named.
   */
  REVIEW_DAYS: wholeNumber(1, 36_500, 'days').optional(),
  /** When the first answers of a step are refused alike, so many of them pause a portfolio; 0 turns it off. */
  CANARY_REFUSALS: wholeNumber(0, 1_000_000, 'answers').default(10),
  /** Further columns that must not be empty, separated by commas. */
  REQUIRED_COLUMNS: textList.default([]),
  /**
   * Above which amounts audited statements are advised, by currency, such as `EUR=700000,GBP=600000`, besides the service's own USD 750,000
   * (docs/file.md#how-it-is-read).
   */
  ADVISE_STATEMENTS_ABOVE: amountsByCurrency,
  /**
   * Whether rows of a portfolio can be found by name, reference, number and id; it costs Redis some 300 bytes a row. Buyers are found in
   * all portfolios either way.
   */
  SEARCH_INDEX: onOff.default('on'),
  /**
   * A portfolio of a larger sum waits for another person, and so do rows by which a buyer gets more within the window:
   * docs/people.md#approval. All commands follow it as `up`, `console` and `work` have it.
   */
  APPROVE_ABOVE: amountText.optional(),
  /** What passed for one buyer within so many days, without another person's yes, counts for `APPROVE_ABOVE` too; 0 turns it off. */
  APPROVE_WINDOW_DAYS: wholeNumber(0, 366, 'days').default(7),
  /** What one person has requested within `APPROVE_WINDOW_DAYS`, without another person's yes, may come to this; more waits. */
  APPROVE_PERSON_ABOVE: amountText.optional(),
  /** `on`: every portfolio waits for another person. */
  APPROVE_ALWAYS: onOff.default('off'),
  /** Larger documents are refused before anything is sent. */
  MAX_DOCUMENT_MB: wholeNumber(1, 10_000, 'megabytes').default(20),
  /** Where the console listens. Another address than loopback takes users, HTTPS and `CONSOLE_URL` (docs/reach.md). */
  CONSOLE_HOST: z.string().default('127.0.0.1'),
  /** As `CONSOLE_HOST`; 0 takes a free port. */
  CONSOLE_PORT: wholeNumber(0, 65_535).default(3000),
  /** `on`: operators can look at the details of jobs, at `/queues` of the console, and send a single row again there. */
  QUEUE_BOARD: onOff.default('off'),
  /** What one upload may have, all of its files together, and a file of the drop folder. */
  CONSOLE_UPLOAD_MB: wholeNumber(1, 100_000, 'megabytes').default(1_024),
  /** The address under which people open the console; needed beyond loopback and behind a proxy. Without it: as it listens. */
  CONSOLE_URL: httpUrl.optional(),
  /** HTTPS of the console's own: a PEM file with the certificate, read again when it changes. */
  CONSOLE_TLS_CERT_FILE: z.string().optional(),
  /** The PEM file with the key for it. */
  CONSOLE_TLS_KEY_FILE: z.string().optional(),
  /** Addresses, ranges such as `10.0.0.0/8`, or `loopback`: the proxies that may say who asks. */
  CONSOLE_TRUST_PROXY: addressList.default([]),
  /** The identity provider's issuer, exactly as the provider writes it: docs/reach.md. */
  CONSOLE_OIDC_ISSUER: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), HTTP_FAULT)
    .optional(),
  /** The console's client at that provider; needed with `CONSOLE_OIDC_ISSUER`. */
  CONSOLE_OIDC_CLIENT_ID: z.string().optional(),
  /** As `CONSOLE_OIDC_CLIENT_ID`. */
  CONSOLE_OIDC_CLIENT_SECRET: z.string().optional(),
  /** What is asked of the provider, separated by commas. */
  CONSOLE_OIDC_SCOPES: textList.default(['openid', 'profile', 'email']),
  /** The claim of the ID token that has a person's groups. */
  CONSOLE_OIDC_GROUPS_CLAIM: z.string().default('groups'),
  /** The roles of each group's people: `group=role+role, group=role`. */
  CONSOLE_OIDC_ROLES: groupRoles.default([]),
  /**
   * What runs at night, when, and in which time zone (docs/nightly.md); `off` runs nothing. Without it: `audit 02:15; reconcile 02:30;
   * retry 04:00; archive 04:30`.
   */
  LIMITLINE_SCHEDULE: scheduleText.optional(),
  /** The drop folder, by its whole path: files that are put into it are imported by themselves (docs/nightly.md#the-drop-folder). */
  LIMITLINE_INBOX: z.string().refine(isAbsolute, 'must be a whole path, such as /srv/limitline/inbox').optional(),
  /** How files of the drop folder are read: the name of a mapping of `limitline mapping keep`. */
  LIMITLINE_INBOX_MAPPING: z.string().optional(),
  /** The users who alone approve what was dropped, separated by commas. Without it every approver does. */
  INBOX_APPROVERS: textList.default([]),
  /** Where notices are posted (docs/nightly.md#notices). The address is a secret. */
  NOTIFY_WEBHOOK_URL: noticeUrl.optional(),
  /** As what notices are posted: `slack`, `teams` or `json`. */
  NOTIFY_WEBHOOK_FORM: z.enum(['slack', 'teams', 'json'], 'must be slack, teams or json').default('json'),
  /** A mail server for notices: `smtp://user:password@host:587` (STARTTLS) or `smtps://…`. */
  NOTIFY_SMTP_URL: smtpUrl.optional(),
  /** From whom mail comes, such as `Limitline <limits@example.com>`; needed with `NOTIFY_SMTP_URL`. */
  NOTIFY_SMTP_FROM: z.string().optional(),
  /** To whom mail goes, up to 50 addresses, separated by commas; needed with `NOTIFY_SMTP_URL`. */
  NOTIFY_SMTP_TO: textList.default([]),
  /** Which notices are sent: some of the kinds that docs/nightly.md#notices names, separated by commas. Without it: all. */
  NOTIFY_ABOUT: textList
    .refine(
      (kinds) => kinds.every((kind) => NOTICE_KINDS.includes(kind as NoticeKind)),
      `must be some of ${NOTICE_KINDS.join(', ')}`,
    )
    .transform((kinds) => kinds as NoticeKind[])
    .default([]),
  /** Above which percentage of a portfolio's sent rows, refused and held, people are told. */
  NOTIFY_FAILURES_ABOVE: wholeNumber(0, 100, 'percent').default(10),
  /** Minutes without a call that gets through, after which people are told that the service is away. */
  NOTIFY_AWAY_AFTER_MIN: wholeNumber(1, 10_080, 'minutes').default(10),
  /** Above which percentage of the disk, or of Redis' memory, people are told; at 100 never. */
  NOTIFY_FULL_ABOVE: wholeNumber(1, 100, 'percent').default(90),
  /**
   * Portfolios that were finished longer ago are archived at night: out of Redis, into files (docs/retention.md). Without it they stay for
   * ever.
   */
  LIMITLINE_KEEP_DAYS: wholeNumber(1, 36_500, 'days').optional(),
  /** Where `events listen` takes what the service posts by itself (docs/events.md). */
  EVENTS_HOST: z.string().default('127.0.0.1'),
  /** As `EVENTS_HOST`; nothing is listened for without a port. */
  EVENTS_PORT: wholeNumber(0, 65_535).optional(),
  /**
   * The last part of the address that the service is told, 24 to 200 letters, digits, `-` or `_` (`openssl rand -hex 32`). Whoever knows it
   * can post events. It is needed with `EVENTS_PORT`.
   */
  EVENTS_SECRET: z
    .string()
    .regex(/^[A-Za-z0-9_-]{24,200}$/, 'must be 24 to 200 letters, digits, - or _; openssl rand -hex 32 makes one')
    .optional(),
  /** Larger events are turned away. */
  EVENTS_MAX_KB: wholeNumber(1, 10_240, 'kilobytes').default(256),
  /** More events in a second are turned away. */
  EVENTS_PER_SECOND: wholeNumber(1, 100_000, 'events a second').default(2_000),
  /** What all events that are kept may take in Redis. None goes before its time: what does not fit is not taken, and that is said. */
  EVENTS_KEEP_MB: wholeNumber(1, 100_000, 'megabytes').default(256),
  /** For how many days each event is kept. */
  EVENTS_KEEP_DAYS: wholeNumber(1, 36_500, 'days').default(90),
  /**
   * A file, by its whole path, with the JSON pointers by which events state decisions about limits (docs/events.md). Without it events
   * change nothing.
   */
  EVENTS_MAPPING: checkedFile('/etc/limitline/events.json', readEventMapping).optional(),
  /** Where `work` answers `/health` and `/metrics`; the console does so at its own address. */
  METRICS_HOST: z.string().default('127.0.0.1'),
  /** As `METRICS_HOST`; nothing is answered without a port. */
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  /** Who has it as a bearer token may read `/metrics` from elsewhere; 16 characters or more. */
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]{16,}$/, 'must be 16 characters or more, without spaces')
    .optional(),
  /** The least level that is logged, of pino's. */
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
});

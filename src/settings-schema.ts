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
  columnList,
  groupRoles,
  HTTP_FAULT,
  httpUrl,
  normalAccount,
  noticeUrl,
  onOff,
  personList,
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

/** Any header but those that HTTP or the service's document gives each call, or that have another meaning: a key in their place would break it. */
const NOT_OURS =
  /^(?!(?:accept|authorization|connection|content-encoding|content-length|content-type|cookie|expect|host|keep-alive|proxy-authorization|te|trailer|transfer-encoding|upgrade|user-agent)$)/i;

/** Every setting: its format and its default. The table of docs/settings.md is made from these comments (`npm run pages`). */
export const settingsSchema = z.object({
  /**
   * `redis://`, `rediss://` or `redis+sentinel://`; a cluster as several addresses, separated by commas. Without it Limitline runs a Redis
   * of its own in the data folder.
   */
  REDIS_URL: redisUrl.optional(),
  /** The number of replicas that must have a call's record before the call is sent; 0 for none. Without it: the most that were ever seen. */
  REDIS_REPLICAS: wholeNumber(0, 100, 'replicas').optional(),
  /** The data folder (below): its own Redis, imported files, documents, results. Without it: the user's data folder. */
  LIMITLINE_DATA: z.string(),
  /**
   * Counts in the environment alone. `on` uses a `.env` or `.limitline` of the working directory though it belongs to somebody else, or
   * others can write to it. With `off` that ends each command with status 1.
   */
  LIMITLINE_TRUST_ENV: onOff.default('off'),
  /**
   * The prefix of all keys in Redis. Give each prefix a data folder of its own: `limitline forget` removes files that no portfolio of its
   * prefix names.
   */
  LIMITLINE_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,40}$/, 'must be up to 40 letters, digits, dots, hyphens or underscores')
    .default('limitline'),
  /**
   * The secret from which the installation's keys are made, 32 characters or more: the same on all of its hosts (docs/users.md). Without it
   * Limitline makes one and keeps it in the data folder.
   */
  LIMITLINE_SECRET: z
    .string()
    .regex(/^[!-~]{32,}$/, 'must be 32 characters or more, without spaces')
    .optional(),
  /**
   * Days after which entries of the audit trail are deleted at night. Give it more days than `LIMITLINE_KEEP_DAYS` has: then the trail tells
   * of every row that is kept who did what to it. Without it entries stay for ever.
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
  /** The field of the token answer that has the token. The default is of RFC 6749, section 5.1: the service does not show the name. */
  SERVICE_TOKEN_FIELD: z.string().default('access_token'),
  /** The seconds for which a token is valid, where its answer has no `expires_in` of a second or more. A longer one is cut to a day. */
  SERVICE_TOKEN_LIFETIME_S: wholeNumber(1, 86_400, 'seconds').default(600),
  /** The most calls a second, of all workers together. Without it workers find the pace out. */
  SERVICE_RATE_PER_S: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a decimal number of calls a second')
    .transform(Number)
    .refine((rate) => rate >= 0.01 && rate <= 100_000, 'must be 0.01 to 100000 calls a second')
    .optional(),
  /** The most calls in flight of one worker process. A hosted session in flight when limits come is not counted. */
  SERVICE_CONCURRENCY: wholeNumber(1, 1_000, 'calls').default(32),
  /** The most milliseconds that one call takes, from sending to the whole answer. */
  SERVICE_TIMEOUT_MS: wholeNumber(100, 600_000, 'milliseconds').default(30_000),
  /**
   * The header that makes a repeated call safe, if the service honours one. Unknown calls that left with it are sent again, whatever
   * `ON_UNKNOWN_…` says.
   */
  SERVICE_IDEMPOTENCY_HEADER: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'must be the name of an HTTP header (RFC 9110, section 5.1)')
    .regex(NOT_OURS, 'must not be a header with another meaning: name the one that the service honours')
    .optional(),
  /** Statuses by which the service says that it made nothing, besides 429: such as `503`, out of 303, 408 and 500 to 599. */
  SERVICE_NOT_MADE: statusList,
  /**
   * The service may answer a limit with another company, another amount or the id of another limit: `hold` then holds the row for a person,
   * `warn` takes the answer with a warning.
   */
  SERVICE_ANSWER_CHECK: z.enum(['hold', 'warn'], 'must be hold or warn').default('hold'),
  /**
   * A JSON file, by its whole path, that describes the call for a hosted session, which the service does not show
   * (docs/service.md#hosted-session). Without it none is asked for.
   */
  SERVICE_SESSION_FILE: checkedFile('/etc/limitline/session.json', readSessionFile).optional(),
  /**
   * A call for a company whose outcome is unknown: `hold` holds the row for a person, `resend` sends the call again, at the risk of a
   * second company.
   */
  ON_UNKNOWN_COMPANY: unknownPolicy.default('hold'),
  /** As `ON_UNKNOWN_COMPANY`, for the upload of a document. */
  ON_UNKNOWN_DOCUMENT: unknownPolicy.default('resend'),
  /** As `ON_UNKNOWN_COMPANY`, for the request of a limit. With `resend` a limit may be requested twice. */
  ON_UNKNOWN_LIMIT: unknownPolicy.default('hold'),
  /**
   * The meanings of statuses that the service does not explain, such as `in_progress=review,rejected=declined`: `approved`, `review` or
   * `declined`. They go before those that `limitline statuses` was given (docs/outcomes.md#outcomes).
   */
  STATUS_MEANINGS: statusMeanings,
  /** Days after which the nightly report names a row that is still under review, by portfolio (docs/nightly.md). Without it no row is named. */
  REVIEW_DAYS: wholeNumber(1, 36_500, 'days').optional(),
  /** A portfolio pauses when the first answers of a step are so many refusals of one kind; 0 turns this off. */
  CANARY_REFUSALS: wholeNumber(0, 1_000_000, 'answers').default(10),
  /** Columns that must not be empty, besides name and amount, separated by commas. */
  REQUIRED_COLUMNS: columnList.default([]),
  /**
   * Amounts by currency, such as `EUR=700000,GBP=600000`: for a larger request a warning advises audited financial statements. The
   * service's own USD 750,000 counts besides (docs/file.md#how-it-is-read).
   */
  ADVISE_STATEMENTS_ABOVE: amountsByCurrency,
  /**
   * Whether rows of a portfolio can be found by name, reference, number and id; it costs Redis some 300 bytes a row. Buyers are found in
   * all portfolios either way.
   */
  SEARCH_INDEX: onOff.default('on'),
  /**
   * A portfolio with a larger sum waits for another person, and so do rows by which a buyer gets more within the window
   * (docs/people.md#approval). The rule of `up`, `console` and `work` holds for all commands.
   */
  APPROVE_ABOVE: amountText.optional(),
  /** For `APPROVE_ABOVE` a buyer's sum includes what was requested within so many days without another person's yes; 0 turns this off. */
  APPROVE_WINDOW_DAYS: wholeNumber(0, 366, 'days').default(7),
  /**
   * The most that one person may have requested within `APPROVE_WINDOW_DAYS` without another person's yes. More waits for an approval.
   * With 0 days each portfolio counts alone.
   */
  APPROVE_PERSON_ABOVE: amountText.optional(),
  /** `on`: every portfolio waits for another person's approval. */
  APPROVE_ALWAYS: onOff.default('off'),
  /** The largest document, in megabytes. A larger one is refused before anything is sent. */
  MAX_DOCUMENT_MB: wholeNumber(1, 10_000, 'megabytes').default(20),
  /** The address of the console. Any but loopback takes users, HTTPS and `CONSOLE_URL` (docs/reach.md). */
  CONSOLE_HOST: z.string().default('127.0.0.1'),
  /** The port of the console; 0 takes a free one. */
  CONSOLE_PORT: wholeNumber(0, 65_535).default(3000),
  /** `on`: operators can look at the details of jobs, at `/queues` of the console, and send a single row again there. */
  QUEUE_BOARD: onOff.default('off'),
  /** The most megabytes of one upload, all of its files together, and of a file in the drop folder. */
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
  /** The scopes that the console asks the provider for, separated by commas. */
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
  /** The name of the mapping by which dropped files are read (`limitline mapping keep`). */
  LIMITLINE_INBOX_MAPPING: z.string().optional(),
  /** The users who may approve dropped files, separated by commas. Without it every approver may. */
  INBOX_APPROVERS: personList.default([]),
  /** The address to which notices are posted (docs/nightly.md#notices). It is a secret. */
  NOTIFY_WEBHOOK_URL: noticeUrl.optional(),
  /** The form of posted notices: `slack`, `teams` or `json`. */
  NOTIFY_WEBHOOK_FORM: z.enum(['slack', 'teams', 'json'], 'must be slack, teams or json').default('json'),
  /** A mail server for notices: `smtp://user:password@host:587` (STARTTLS) or `smtps://…`. */
  NOTIFY_SMTP_URL: smtpUrl.optional(),
  /** The sender of mail, such as `Limitline <limits@example.com>`; needed with `NOTIFY_SMTP_URL`. */
  NOTIFY_SMTP_FROM: z.string().optional(),
  /** The receivers of mail, up to 50 addresses, separated by commas; needed with `NOTIFY_SMTP_URL`. */
  NOTIFY_SMTP_TO: textList.default([]),
  /** The kinds of notices that are sent, separated by commas: some of those that docs/nightly.md#notices names. Without it all are sent. */
  NOTIFY_ABOUT: textList
    .refine(
      (kinds) => kinds.every((kind) => NOTICE_KINDS.includes(kind as NoticeKind)),
      `must be some of ${NOTICE_KINDS.join(', ')}`,
    )
    .transform((kinds) => kinds as NoticeKind[])
    .default([]),
  /** People are told when more than this percentage of a portfolio's sent rows are refused or held. */
  NOTIFY_FAILURES_ABOVE: wholeNumber(0, 100, 'percent').default(10),
  /** People are told that the service is away when no call got through for so many minutes. */
  NOTIFY_AWAY_AFTER_MIN: wholeNumber(1, 10_080, 'minutes').default(10),
  /** People are told when more than this percentage of the disk, or of Redis' memory, is in use; with 100 they never are. */
  NOTIFY_FULL_ABOVE: wholeNumber(1, 100, 'percent').default(90),
  /**
   * Days after which a finished portfolio is archived at night: out of Redis, into files (docs/retention.md). Without it portfolios stay
   * for ever.
   */
  LIMITLINE_KEEP_DAYS: wholeNumber(1, 36_500, 'days').optional(),
  /** The address at which `events listen` takes what the service posts by itself (docs/events.md). */
  EVENTS_HOST: z.string().default('127.0.0.1'),
  /** The port of `EVENTS_HOST`. Without it events are not listened for. */
  EVENTS_PORT: wholeNumber(0, 65_535).optional(),
  /**
   * The last part of the address that the service is told, 24 to 200 letters, digits, `-` or `_` (`openssl rand -hex 32`). Whoever knows it
   * can post events. It is needed with `EVENTS_PORT`.
   */
  EVENTS_SECRET: z
    .string()
    .regex(/^[A-Za-z0-9_-]{24,200}$/, 'must be 24 to 200 letters, digits, - or _; openssl rand -hex 32 makes one')
    .optional(),
  /** The largest event, in kilobytes. A larger one is turned away. */
  EVENTS_MAX_KB: wholeNumber(1, 10_240, 'kilobytes').default(256),
  /** The most events in a second. More are turned away. */
  EVENTS_PER_SECOND: wholeNumber(1, 100_000, 'events a second').default(2_000),
  /**
   * The most megabytes of Redis that all kept events take. No event goes before its time: what does not fit is not taken, and the answer
   * says so.
   */
  EVENTS_KEEP_MB: wholeNumber(1, 100_000, 'megabytes').default(256),
  /** The days for which each event is kept. */
  EVENTS_KEEP_DAYS: wholeNumber(1, 36_500, 'days').default(90),
  /**
   * A file, by its whole path, with the JSON pointers by which events state decisions about limits (docs/events.md). Without it events
   * change nothing.
   */
  EVENTS_MAPPING: checkedFile('/etc/limitline/events.json', readEventMapping).optional(),
  /** The address at which `work` answers `/health/live`, `/health/ready` and `/metrics`; the console does so at its own address. */
  METRICS_HOST: z.string().default('127.0.0.1'),
  /** The port of `METRICS_HOST`. Without it nothing is answered. */
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  /** The bearer token by which `/metrics` is read from other machines; 16 characters or more. */
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]{16,}$/, 'must be 16 characters or more, without spaces')
    .optional(),
  /** The lowest level that is logged, by pino's names. */
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
});

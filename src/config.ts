import { z } from 'zod';
import { chooseDataFolder, type DataFolder, type NamedFolder } from './data-folder.ts';
import { LimitlineError, maskUserInfo, messageOf } from './errors.ts';
import { type GivenSettings, readGiven } from './given-settings.ts';
import { LOG_LEVELS } from './log.ts';
import { chooseProxy } from './proxy.ts';
import { strayNames } from './setting-names.ts';

/** What to do with a call whose outcome is unknown: wait for a person, or send it again. */
export type UnknownPolicy = 'hold' | 'resend';

export type Settings = z.output<typeof settingsSchema> & {
  /** Why `LIMITLINE_DATA` is the folder that it is. */
  dataFolderBy: DataFolder['by'];
  /** What is given and has no effect, one sentence each, for whoever watches. */
  notices: string[];
};

/** The stand-in's credentials; anything else is refused by it, so that a mistake shows on the first try. */
export const STAND_IN_CREDENTIALS = {
  clientId: 'limitline-sandbox',
  clientSecret: 'limitline-sandbox-secret',
} as const;

/** The account of the stand-in that is started where no service is named. */
export const STAND_IN_ACCOUNT = 'stand-in';

/**
 * Reads the settings from the environment and, below it, from a `.env` file of the working directory.
 * Empty values count as not given. `SERVICE_CLIENT_ID_FILE`, `SERVICE_CLIENT_SECRET_FILE`, `REDIS_URL_FILE` and
 * `METRICS_TOKEN_FILE` name mounted secrets.
 *
 * @throws LimitlineError `SETTINGS`, naming every fault at once, one sentence each.
 */
export function readSettings({ env = process.env, cwd = process.cwd() } = {}): Settings {
  const given = readGiven({ env, cwd, names: SETTING_NAMES, inFiles: IN_FILES });
  const { values } = given;
  const stray = strayNames({ ...given.names, known: [...SETTING_NAMES, ...IN_FILES.map((name) => `${name}_FILE`)] });
  const faults = [...given.faults, ...stray.faults];
  const folder = dataFolderOr(namedFolder(given), { env, cwd }, faults);
  const parsed = settingsSchema.safeParse({ ...values, LIMITLINE_DATA: folder?.path ?? '' });
  faults.push(...schemaFaults(parsed.error, values));
  if (values.SERVICE_URL && !(values.SERVICE_CLIENT_ID && values.SERVICE_CLIENT_SECRET)) {
    faults.push(
      'SERVICE_URL is given, so SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET (or their _FILE forms) are needed too',
    );
  }
  if (values.SERVICE_URL && parsed.data?.SERVICE_ACCOUNT === STAND_IN_ACCOUNT) {
    faults.push(
      `SERVICE_ACCOUNT is "${STAND_IN_ACCOUNT}", which is the name of the stand-in's account; choose another name for yours at SERVICE_URL`,
    );
  }
  faults.push(...proxyFaults(parsed.data));
  if (faults.length > 0 || !parsed.success || folder === undefined) {
    throw new LimitlineError('SETTINGS', `Settings are wrong: ${faults.join('; ')}.`);
  }
  return { ...parsed.data, dataFolderBy: folder.by, notices: stray.notices };
}

function namedFolder({ values, names }: GivenSettings): NamedFolder | undefined {
  const path = values.LIMITLINE_DATA;
  return path === undefined
    ? undefined
    : { path, in: names.environment.includes('LIMITLINE_DATA') ? 'environment' : '.env' };
}

/** The data folder; where none can be chosen, the reason goes to the other faults. */
function dataFolderOr(named: NamedFolder | undefined, place: Parameters<typeof chooseDataFolder>[1], faults: string[]) {
  try {
    return chooseDataFolder(named, place);
  } catch (error) {
    faults.push(messageOf(error));
    return undefined;
  }
}

function schemaFaults(error: z.ZodError | undefined, values: Readonly<Record<string, string>>): string[] {
  return (error?.issues ?? []).map((issue) => {
    const name = String(issue.path[0]);
    // Addresses may carry a password, so neither they nor secrets are repeated.
    const isPrivate = /SECRET|REDIS_URL|METRICS_TOKEN/.test(name) || values[name]?.includes('@');
    return isPrivate ? `${name} ${issue.message}` : `${name} is ${JSON.stringify(values[name])}, but ${issue.message}`;
  });
}

/** What is wrong with the proxy that would be used. One that only other programs use need not be one that we could use. */
function proxyFaults(settings: z.output<typeof settingsSchema> | undefined): string[] {
  if (settings?.SERVICE_URL === undefined) return [];
  try {
    chooseProxy(settings.SERVICE_URL, settings);
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** The account that is worked for: the one that is named, else the address, else the stand-in's. */
export function accountOf({ SERVICE_ACCOUNT, SERVICE_URL }: Pick<Settings, 'SERVICE_ACCOUNT' | 'SERVICE_URL'>): string {
  if (SERVICE_ACCOUNT !== undefined) return SERVICE_ACCOUNT;
  return SERVICE_URL === undefined ? STAND_IN_ACCOUNT : normalAccount(SERVICE_URL);
}

/**
 * The settings that are not what they would be if nobody had given them, for people. Secrets and addresses that may carry one
 * are "given", and nothing of them is shown.
 */
export function differingSettings(settings: Settings): { name: string; value: string }[] {
  const defaults: Record<string, unknown> = settingsSchema.parse({ LIMITLINE_DATA: '' });
  const given: Record<string, unknown> = settings;
  return SETTING_NAMES.flatMap((name) => {
    const value = given[name];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(defaults[name])) return [];
    if (name === 'LIMITLINE_DATA' && settings.dataFolderBy === 'user') return [];
    return [{ name, value: PRIVATE.test(name) ? 'given' : shownSetting(value) }];
  });
}

/** Whose values are a secret, or may have one in them that no rule of ours would find. */
const PRIVATE = /SECRET|TOKEN$|PASSWORD|CLIENT_ID|REDIS_URL|PROXY$/;

function shownSetting(value: unknown): string {
  return maskUserInfo(Array.isArray(value) ? value.join(', ') : String(value));
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
 * Statuses that would otherwise leave the outcome unknown, so 408 and 500 to 599. 401 is about the token, any other 4xx is a
 * refusal of that row: it made nothing either, and to wait for it to pass would stop all calls for one row. 429 is meant anyway.
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

const unknownPolicy = z.enum(['hold', 'resend'], 'must be hold or resend');

const httpUrl = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    'must be an address that begins with http:// or https://',
  )
  // A user and password are not what calls are made with, so they need not be where the address is shown.
  .transform((text) => text.replace(/\/+$/, '').replace(/^(https?:\/\/)[^/?#]*@/i, '$1'));

/** One address has one spelling: host in lower case, no default port, user, slash at the end, query or fragment. */
function normalAccount(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) return text.toLowerCase();
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

/** The scheme alone is looked at here; where Redis is opened, the whole address is read, and its faults are named. */
const redisUrl = z
  .string()
  .regex(
    /^(rediss?|redis\+sentinel):\/\//,
    'must begin with redis://, rediss:// or redis+sentinel://; for a cluster, give several addresses separated by commas',
  );

const settingsSchema = z.object({
  REDIS_URL: redisUrl.optional(),
  REDIS_REPLICAS: wholeNumber(0, 100, 'replicas').optional(),
  LIMITLINE_DATA: z.string(),
  LIMITLINE_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,40}$/, 'must be up to 40 letters, digits, dots, hyphens or underscores')
    .default('limitline'),
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
  /** RFC 6749, section 5.1; the service does not show the field's name. */
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
  ON_UNKNOWN_COMPANY: unknownPolicy.default('hold'),
  ON_UNKNOWN_DOCUMENT: unknownPolicy.default('resend'),
  ON_UNKNOWN_LIMIT: unknownPolicy.default('hold'),
  CANARY_REFUSALS: wholeNumber(0, 1_000_000, 'answers').default(10),
  REQUIRED_COLUMNS: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .default([]),
  SEARCH_INDEX: z.enum(['on', 'off'], 'must be on or off').default('on'),
  MAX_DOCUMENT_MB: wholeNumber(1, 10_000, 'megabytes').default(20),
  CONSOLE_HOST: z.string().default('127.0.0.1'),
  CONSOLE_PORT: wholeNumber(0, 65_535).default(3000),
  /** The most that an upload may be, all of its files together; each mended version of it is a copy. */
  CONSOLE_UPLOAD_MB: wholeNumber(1, 100_000, 'megabytes').default(1_024),
  CONSOLE_USERS_FILE: z.string().optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]{16,}$/, 'must be 16 characters or more, without spaces')
    .optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
});

const SETTING_NAMES = Object.keys(settingsSchema.shape);

/** What may stand in a mounted file instead, which `<name>_FILE` names. */
const IN_FILES = ['SERVICE_CLIENT_ID', 'SERVICE_CLIENT_SECRET', 'REDIS_URL', 'METRICS_TOKEN'];

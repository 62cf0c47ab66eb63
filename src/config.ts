import { join } from 'node:path';
import type { z } from 'zod';
import { type CallKind, eachKind } from './call-kind.ts';
import { chooseDataFolder, type DataFolder, type NamedFolder } from './data-folder.ts';
import { LimitlineError, maskUserInfo, messageOf } from './errors.ts';
import { eventFaults } from './events/event-settings.ts';
import { type GivenSettings, readGiven } from './given-settings.ts';
import { idleSettings } from './idle-settings.ts';
import { idleNoticeSettings, noticeFaults } from './notices/notice-settings.ts';
import { chooseProxy } from './proxy.ts';
import { strayNames } from './setting-names.ts';
import { normalAccount } from './settings-formats.ts';
import { STAND_IN_CREDENTIALS, settingsSchema } from './settings-schema.ts';
import { STAND_IN_ACCOUNT } from './stand-in-account.ts';

/**
 * What to do with a call whose outcome is unknown: `hold` it for a person; `resend` it, at the risk of making the thing twice; or `repeat`
 * it, if the service honours an idempotency header.
 */
export type UnknownPolicy = 'hold' | 'resend' | 'repeat';

/**
 * The service's idempotency header, in lower case, and what happens to a call whose outcome is unknown if the call left without this
 * header: before the setting, or by a worker that lacks it. A hosted session is always held.
 */
export type Idempotency = {
  header: string;
  withoutIt: Readonly<Record<CallKind | 'session', Exclude<UnknownPolicy, 'repeat'>>>;
};

/** The setting that decides about a response to a limit call with another company, another amount or the id of another limit. */
export type AnswerCheck = 'hold' | 'warn';

export type Settings = z.output<typeof settingsSchema> & {
  dataFolderBy: DataFolder['by'];
  /** The `.env` file that was read, and the names in it; undefined without one. */
  dotenv: { path: string; names: readonly string[] } | undefined;
  /** Given settings without effect, one sentence each, to show people. */
  notices: string[];
};

export { STAND_IN_CREDENTIALS };

/** `moreFaults`: faults in combinations of the console's settings, a sentence each, for commands that open it. */
type Given = {
  env?: NodeJS.Dict<string>;
  cwd?: string;
  moreFaults?: ((settings: z.output<typeof settingsSchema>) => string[]) | undefined;
};

/**
 * Reads the settings from the environment and from a `.env` file of the working directory; the environment wins. Empty values count as
 * missing. `SERVICE_CLIENT_SECRET_FILE`, `REDIS_URL_FILE` and the other names of {@link IN_FILES} with `_FILE` appended name mounted
 * secrets.
 *
 * @throws LimitlineError `SETTINGS` with all faults at once, one sentence each
 */
export function readSettings({ env = process.env, cwd = process.cwd(), moreFaults }: Given = {}): Settings {
  const given = readGiven({ env, cwd, names: SETTING_NAMES, inFiles: IN_FILES });
  const { values } = given;
  const known = [...SETTING_NAMES, ...IN_FILES.map((name) => `${name}_FILE`)];
  const stray = strayNames({ ...given.names, known });
  const faults = [...given.faults, ...stray.faults];
  const folder = dataFolderOr(namedFolder(given), { env, cwd }, faults);
  const parsed = settingsSchema.safeParse({ ...values, LIMITLINE_DATA: folder?.path ?? '' });
  faults.push(...schemaFaults(parsed.error, values));
  // A credential whose file cannot be read is given, and its fault is named already.
  const missing = ['SERVICE_CLIENT_ID', 'SERVICE_CLIENT_SECRET'].filter(
    (name) => !values[name] && !given.faults.some((fault) => fault.includes(name)),
  );
  if (values.SERVICE_URL && missing.length > 0) {
    const words = missing.map((name) => `${name} (or ${name}_FILE)`).join(' and ');
    faults.push(`SERVICE_URL is given, so ${words} ${missing.length === 1 ? 'is' : 'are'} needed too`);
  }
  const { sound, isFaulty } = soundSettings(parsed, values);
  if (values.SERVICE_URL && sound?.SERVICE_ACCOUNT === STAND_IN_ACCOUNT) {
    faults.push(
      `SERVICE_ACCOUNT is "${STAND_IN_ACCOUNT}", which is the name of the stand-in's account; choose another name for yours at SERVICE_URL`,
    );
  }
  faults.push(...proxyFaults(sound));
  // Without a faulty setting of its family, a combination would be judged by what nobody meant.
  if (sound && !isFaulty(/^NOTIFY|PROXY$/)) faults.push(...noticeFaults(sound));
  // Port 0 is like no other port.
  const ports = isFaulty(/^CONSOLE_PORT$/) ? { CONSOLE_PORT: 0 } : {};
  if (sound && !isFaulty(/^EVENTS/)) faults.push(...eventFaults({ ...sound, ...ports }));
  if (sound && moreFaults && !isFaulty(/^CONSOLE_(URL|TRUST|OIDC)/)) {
    const more = moreFaults(sound).join(' ').replace(/\.$/, '');
    if (more !== '') faults.push(more);
  }
  if (faults.length > 0 || !parsed.success || folder === undefined) {
    throw new LimitlineError('SETTINGS', `Settings are wrong: ${faults.join('; ')}.`);
  }
  // A line of another form may have a secret where a name should be, and names of other programs are no settings.
  const ours = given.names.dotenv.filter((name) => known.includes(name) || known.includes(name.toUpperCase()));
  const names = ours.filter((name) => !isOverridden(name, env));
  const dotenv = names.length > 0 ? { path: join(cwd, '.env'), names } : undefined;
  return {
    ...parsed.data,
    dataFolderBy: folder.by,
    dotenv,
    notices: [...stray.notices, ...idleNoticeSettings(values), ...idleSettings(values), ...hiddenSettings(given, env)],
  };
}

/** Whether the environment has the setting too, if only as empty, so that the value in `.env` does not count. */
function isOverridden(name: string, env: NodeJS.Dict<string>): boolean {
  const own = name.replace(/_FILE$/, '');
  const isInFile = IN_FILES.includes(own);
  return name in env || (isInFile && (own in env || `${own}_FILE` in env));
}

/**
 * A sentence for each setting whose value in `.env` does not count, since the environment has the setting as empty, or as the address that
 * Kubernetes writes for a service of this name.
 */
function hiddenSettings({ values, names }: GivenSettings, env: NodeJS.Dict<string>): string[] {
  return names.dotenv
    .filter((name) => isOverridden(name, env) && values[name.replace(/_FILE$/, '')] === undefined)
    .filter((name) => SETTING_NAMES.includes(name) || IN_FILES.includes(name.replace(/_FILE$/, '')))
    .map((name) => {
      const how = env[name] ? 'as an address that Kubernetes writes' : 'without a value';
      return `${name} of .env does not count, since the environment has it too, ${how}`;
    });
}

function namedFolder({ values, names }: GivenSettings): NamedFolder | undefined {
  const path = values.LIMITLINE_DATA;
  return path === undefined
    ? undefined
    : { path, in: names.environment.includes('LIMITLINE_DATA') ? 'environment' : '.env' };
}

/** The data folder; if none can be chosen, the reason is added to the faults. */
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
    // A URL may contain a password or a key, so neither such URLs nor secrets are repeated.
    const isPrivate =
      /SECRET|REDIS_URL|METRICS_TOKEN|NOTIFY_WEBHOOK_URL|NOTIFY_SMTP_URL/.test(name) ||
      /[@?#]/.test(values[name] ?? '');
    return isPrivate ? `${name} ${issue.message}` : `${name} is ${JSON.stringify(values[name])}, but ${issue.message}`;
  });
}

/** The settings without the faulty ones, so that faults in combinations of the others are reported together with these. */
function soundSettings(parsed: ReturnType<typeof settingsSchema.safeParse>, values: Readonly<Record<string, string>>) {
  const faulty = (parsed.error?.issues ?? []).map((issue) => String(issue.path[0]));
  const others = Object.entries(values).filter(([name]) => !faulty.includes(name));
  return {
    sound: parsed.data ?? settingsSchema.safeParse({ LIMITLINE_DATA: '', ...Object.fromEntries(others) }).data,
    isFaulty: (family: RegExp) => faulty.some((name) => family.test(name)),
  };
}

/** Faults of the proxy that SERVICE_URL needs. A proxy of the environment that is not used for this URL is not checked. */
function proxyFaults(settings: z.output<typeof settingsSchema> | undefined): string[] {
  if (settings?.SERVICE_URL === undefined) return [];
  try {
    chooseProxy(settings.SERVICE_URL, settings);
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** What the settings do with a call whose outcome is unknown, without an idempotency header. */
export const onUnknownOf = (settings: Settings): Record<CallKind, 'hold' | 'resend'> =>
  eachKind((kind) => settings[`ON_UNKNOWN_${kind.toUpperCase() as Uppercase<CallKind>}`]);

/** The idempotency header of the settings; undefined without one. */
export function idempotencyOf(settings: Settings): Idempotency | undefined {
  const header = settings.SERVICE_IDEMPOTENCY_HEADER?.toLowerCase();
  return header === undefined ? undefined : { header, withoutIt: { ...onUnknownOf(settings), session: 'hold' } };
}

/** The account to work for: the named one, else the service's address, else the stand-in's. */
export function accountOf({ SERVICE_ACCOUNT, SERVICE_URL }: Pick<Settings, 'SERVICE_ACCOUNT' | 'SERVICE_URL'>): string {
  if (SERVICE_ACCOUNT !== undefined) return SERVICE_ACCOUNT;
  return SERVICE_URL === undefined ? STAND_IN_ACCOUNT : normalAccount(SERVICE_URL);
}

/** The settings that differ from their defaults, for people. Secrets, and URLs that may contain one, are shown as "given". */
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

/** Settings whose values are secret, or may contain a secret that no rule would find. */
const PRIVATE = /SECRET|TOKEN$|PASSWORD|CLIENT_ID|REDIS_URL|WEBHOOK_URL|SMTP_URL|(?<!TRUST_)PROXY$/;

const shownSetting = (value: unknown): string => maskUserInfo(Array.isArray(value) ? value.join(', ') : String(value));

const SETTING_NAMES = Object.keys(settingsSchema.shape);

/** Settings whose value may be in a mounted file, named by `<name>_FILE`. */
export const IN_FILES: readonly string[] = [
  'SERVICE_CLIENT_ID',
  'SERVICE_CLIENT_SECRET',
  'REDIS_URL',
  'METRICS_TOKEN',
  'EVENTS_SECRET',
  'CONSOLE_OIDC_CLIENT_SECRET',
  'LIMITLINE_SECRET',
  'LIMITLINE_SCHEDULE',
  'NOTIFY_WEBHOOK_URL',
  'NOTIFY_SMTP_URL',
];

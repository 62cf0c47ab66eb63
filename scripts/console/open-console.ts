import { hostname } from 'node:os';
import { countQuestions } from '../../jobs/story/held-desk.ts';
import { commandLineActor } from '../../src/actor.ts';
import { isLoopback } from '../../src/addresses.ts';
import type { Settings } from '../../src/config.ts';
import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { makeConsole } from '../../src/console/console.ts';
import { t } from '../../src/console/html/html.ts';
import type { Strip } from '../../src/console/layout/layout.ts';
import { addPages } from '../../src/console/pages/index.ts';
import { readCertificate } from '../../src/console/server/certificate.ts';
import { addressOf } from '../../src/console/server/make-server.ts';
import { checkUsers, type Reach, readReach, signInNeeded } from '../../src/console/server/reach.ts';
import type { Context } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import { countLiving } from '../../src/ledger/calls/fleet.ts';
import { OLDER_WORDS } from '../../src/ledger/calls/send-marks.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { describeBlock, describeTripped } from '../../src/pace/breaker-words.ts';
import { describeLearned, describePace, isOrdinaryWait, type PaceState } from '../../src/pace/pace-words.ts';
import { describeRedis, parseRedisUrl } from '../../src/redis/redis-url.ts';
import { isNearlyFull, nearlyFullWords, readMemory } from '../../src/redis-memory/memory.ts';
import { withContext } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { consoleFunctions } from './functions.ts';
import { signInOptions } from './people/sign-in.ts';
import { makeRoleReader } from './people/who-may.ts';

/**
 * Makes the console with all pages; it does not listen yet.
 *
 * @param who access functions in place of the context's
 * @throws LimitlineError `SETTINGS` where others can reach it and nobody could sign in
 */
export async function openConsole(
  context: Context,
  { reach = reachOf(context.settings), ...who }: Partial<AccessFunctions> & { reach?: Reach } = {},
) {
  const { settings, log } = context;
  await checkUsers(reach, {
    hasOidc: settings.CONSOLE_OIDC_ISSUER !== undefined,
    hasUsers: () => context.people.required(),
  });
  const namesOf = makeRoleReader(context);
  const functions = consoleFunctions(context, namesOf);
  return makeConsole({
    host: reach.host,
    reach,
    port: settings.CONSOLE_PORT,
    account: `${settings.LIMITLINE_PREFIX} ${context.account}`,
    log,
    strip: () => readStrip(context),
    audit: context.audit,
    signIn: await signInOptions(context),
    admins: () => namesOf('admin'),
    owns: ({ by }, portfolio) => context.portfolios.isOwn(portfolio, by),
    ...who,
    pages: (app, hub) => addPages(app, hub, functions),
  });
}

/**
 * Reads from where the console can be reached, and checks the certificate, before anything is opened.
 *
 * @throws LimitlineError `SETTINGS` for what is missing or does not fit
 */
export function reachOf(settings: Settings): Reach {
  const reach = readReach(settings);
  if (reach.certificate) readCertificate(reach.certificate);
  return reach;
}

/** Reads the state of all work from Redis, for the strip on each page. Never asks the service. */
export async function readStrip(context: Context): Promise<Strip> {
  const { ledger, keys, account, settings } = context;
  const [workers, pace, approvals, held, older, memory] = await Promise.all([
    countLiving({ connection: ledger, keys }),
    lookAtPace(context),
    context.approvals.waitingCount(),
    countQuestions(context),
    context.marks.older(),
    readMemory(ledger),
  ]);
  const full = memory && isNearlyFull(memory) ? nearlyFullWords(memory) : undefined;
  const now = Date.now();
  const blocked = !full && pace?.blocked && pace.blocked.untilMs > now ? pace.blocked : undefined;
  const isOrdinary = blocked !== undefined && isOrdinaryWait(blocked, now);
  const { tripped = [], paused = [] } = pace ?? {};
  const isHeldUp = (blocked && !isOrdinary) || full !== undefined || tripped.length + paused.length > 0;
  return {
    account,
    standIn: settings.SERVICE_URL === undefined,
    workers,
    counts: { approvals, held },
    pace: pace && !isHeldUp ? await paceWords(pace, { workers, now }, context) : '',
    alarm: older ? OLDER_WORDS : full,
    stops: [
      ...(workers === 0 && !older && !full
        ? [t`No worker runs, so nothing is sent: start one with npx limitline work.`]
        : []),
      ...(blocked && !isOrdinary ? [t`All calls wait: ${describeBlock(blocked, now)}.`] : []),
      ...paused.map(
        (queue) => t`The queue ${queue} is paused, so its rows wait: npx limitline resume --queue ${queue}.`,
      ),
      ...(tripped.length > 0 ? [t`Some calls wait: ${describeTripped(tripped, now)}.`] : []),
    ],
  };
}

/** The pace of the calls, in words. Where none was answered lately although rows are being worked on, only that is said. */
async function paceWords(
  pace: PaceState,
  { workers, now }: { workers: number; now: number },
  { queues }: Pick<Context, 'queues'>,
): Promise<string> {
  const words = describePace(pace, now);
  if (words === '' && workers > 0 && (await queues.running()) > 0) return t`requests are under way`;
  return words || describeLearned(pace, now);
}

/**
 * Warnings of unencrypted connections of a console that others can reach, a sentence each (ASVS 5.0, 12.3.1). No refusal,
 * because a container network or tunnel may be protected in other ways.
 */
export function inTheClear(
  settings: Parameters<typeof signInNeeded>[0] & Pick<Settings, 'REDIS_URL' | 'SERVICE_URL'>,
): string[] {
  if (!signInNeeded(settings)) return [];
  const { REDIS_URL: redis, SERVICE_URL: service } = settings;
  return [...(redis === undefined ? [] : redisWords(redis)), ...(service === undefined ? [] : serviceWords(service))];
}

function redisWords(url: string): string[] {
  const address = parseRedisUrl(url);
  const endpoints = address.kind === 'single' ? [address.endpoint] : address.endpoints;
  if ((address.kind !== 'sentinel' && address.tls) || endpoints.every(({ host }) => isLoopback(host))) return [];
  return [
    `Redis' password, sessions and rows cross the network unencrypted between here and ${describeRedis(address)}; use rediss://.`,
  ];
}

function serviceWords(url: string): string[] {
  const { protocol, hostname, origin } = new URL(url);
  if (protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''))) return [];
  return [`The service's credentials and rows cross the network unencrypted between here and ${origin}; use https://.`];
}

/** A one-time link that opens a console without users, for the person who runs it; undefined where people sign in. Secret. */
export async function consoleLink(
  { people, settings }: Pick<Context, 'people' | 'settings'>,
  url: string,
): Promise<string | undefined> {
  const token = signInNeeded(settings) ? undefined : await people.openings.link(commandLineActor());
  return token === undefined ? undefined : `${url}/?token=${token}`;
}

/** The link as text, on a line of its own that fits 80 columns. */
export function linkWords(link: string | undefined): string {
  return link === undefined
    ? ''
    : `\nIt has no users yet. Open it by this link, which works once, and within 12 hours:\n  ${link}`;
}

/**
 * `limitline console --link`: makes another link to a running console, for another browser or another day. The only
 * console that runs on this machine says its address by itself, since the settings of this shell may differ from its own.
 *
 * @throws LimitlineError `USAGE` where people sign in, the console's port is unknown, or several run and none is at the address of the settings
 */
export function printLink(terminal: Terminal): Promise<void> {
  return withContext(async (context) => {
    const { CONSOLE_HOST: host, CONSOLE_PORT: port, CONSOLE_URL: home, CONSOLE_TLS_CERT_FILE: cert } = context.settings;
    const here = (await context.fleet.read()).filter(({ host }) => host === hostname());
    const running = [...new Set(here.flatMap((one) => one.url ?? []))];
    const given = home === undefined ? addressOf({ host, port, isHttps: cert !== undefined }) : new URL(home).origin;
    const isGiven = home !== undefined || running.includes(given);
    if (!isGiven && running.length > 1) {
      throw new LimitlineError('USAGE', `Several consoles run here, at ${running.join(', ')}: say CONSOLE_PORT.`);
    }
    const url = isGiven ? given : (running[0] ?? given);
    if (!isGiven && running.length === 0 && port === 0) {
      const message = 'CONSOLE_PORT is 0, so the console alone knows its port: start it again for a link.';
      throw new LimitlineError('USAGE', message);
    }
    const link = await consoleLink(context, url);
    if (link === undefined)
      throw new LimitlineError('USAGE', `People sign in to this console, at ${url}: no link opens it.`);
    terminal.print(
      `This link opens the console once, within 12 hours; the one before opens nothing any more:\n  ${link}`,
      { link },
    );
  });
}

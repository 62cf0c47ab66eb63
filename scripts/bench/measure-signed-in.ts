import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { makeAuditTrail } from '../../src/audit/audit-trail.ts';
import { trailFolder } from '../../src/audit/trail-folder.ts';
import { sessionCookieName } from '../../src/console/sign-in/session-cookie.ts';
import { makeSharedKeys } from '../../src/ledger/keys.ts';
import { makeSilentLog } from '../../src/log.ts';
import { makePeople } from '../../src/people/people.ts';
import { ROLES } from '../../src/people/person.ts';
import { makeSecret } from '../../src/people/secret.ts';
import { markBy } from '../console/people/sign-in.ts';
import { numberText, spreadOf } from './figures.ts';
import { markdownTable } from './markdown-table.ts';
import { KNOWN_DIGEST } from './measure-people.ts';
import type { RunningConsole } from './start-console.ts';
import type { RunningRedis } from './start-redis.ts';

const PREFIX = 'bench';
const USERS = 1_000;
const ENTRIES = 100_000;

/** Written at a time. */
const AT_ONCE = 500;

/** Turns without and with users, one after the other, so that a machine that gets slower favours none; rounds of each page in a turn. */
const TURNS = 8;
const ROUNDS = 40;

/** A console believes for a second at most what it knew of whether there are users. */
const HEARD_MS = 1_500;

const PERSON = { by: 'bench@example.com (sso 000000)', roles: ROLES };

type Given = {
  redis: RunningRedis;
  web: (env: Record<string, string>) => Promise<RunningConsole>;
  env: Record<string, string>;
  /** A portfolio that is there, with rows of all kinds. */
  portfolio: string;
  signal: AbortSignal;
  say: (text: string) => void;
};

/**
 * What it costs a page that somebody is signed in, and how long pages take with 1,000 users and 100,000 entries in the audit: from
 * asking to the last byte, over HTTP on this machine, one after the other.
 */
export async function measureSignedIn({ redis, web: start, env, portfolio, signal, say }: Given): Promise<string> {
  const connection = new Redis({ path: redis.socketPath, maxRetriesPerRequest: null });
  try {
    const keys = makeSharedKeys(PREFIX);
    const secret = makeSecret({
      given: undefined,
      dataDir: redis.dataDir,
      connection,
      keys,
      prefix: PREFIX,
      where: 'Redis',
    });
    const people = makePeople({ connection, keys, secret, hash: async () => KNOWN_DIGEST });
    await using web = await start(env);
    const cookie = sessionCookieName(markBy(await secret.key('csrf')));
    const add = (name: string) =>
      people.users.add({ name, roles: ['viewer'], password: 'a bench under seven trees', mustChange: false });
    const begin = async () =>
      `${cookie}=${await people.sessions.begin({ person: PERSON, from: '127.0.0.1', agent: 'bench' })}`;

    const compared = ['/', `/portfolios/${portfolio}`, '/keys'].map((path) => ({
      path,
      without: [] as number[],
      signedIn: [] as number[],
    }));
    for (let turn = 0; turn < TURNS; turn += 1) {
      const isSignedIn = turn % 2 === 1;
      if (isSignedIn) await add('one');
      else if (turn > 0) await people.users.remove('one', { evenLast: true });
      await sleep(HEARD_MS);
      const headers = isSignedIn ? { cookie: await begin() } : {};
      for (const page of compared) {
        const times = await timesOf(() => page.path, { url: web.url, headers, signal });
        page[isSignedIn ? 'signedIn' : 'without'].push(...times);
      }
      say(`turn ${turn + 1} of ${TURNS}`);
    }

    const names = Array.from({ length: USERS }, (_, number) => `user-${number}`);
    for (let at = 0; at < USERS; at += AT_ONCE) await Promise.all(names.slice(at, at + AT_ONCE).map(add));
    await fillTrail({ redis, connection, keys, key: () => secret.key('audit') }, signal);
    say('filled');
    await sleep(HEARD_MS);
    const headers = { cookie: await begin() };
    const rows = [];
    for (const [name, address] of PAGES) {
      rows.push([name, ...percentiles(await timesOf(address, { url: web.url, headers, signal }))]);
    }
    return [
      markdownTable(
        ['Page', 'without users: median, ms', 'signed in: median, ms', 'more, ms'],
        compared.map(({ path, without, signedIn }) => {
          const [before, after] = [spreadOf(without).median, spreadOf(signedIn).median];
          return [path, ...[before, after, after - before].map((ms) => numberText(ms, 2))];
        }),
      ),
      markdownTable([`${numberText(USERS)} users, ${numberText(ENTRIES)} entries`, 'median, ms', '99th, ms'], rows),
    ].join('\n\n');
  } finally {
    connection.disconnect();
  }
}

/** A page by its name, and its address in each round. */
const PAGES: readonly [name: string, address: (round: number) => string][] = [
  ['portfolios', () => '/'],
  ['users', () => '/users'],
  ['users further on', (round) => `/users?after=user-${round}`],
  ['users by a part of their name', (round) => `/users?text=${round}`],
  ['a user', (round) => `/users/user-${round}`],
  ['the audit', () => '/audit'],
  ['… further back', (round) => `/audit?before=${(round + 1) * 2_000}`],
  ['… of one person', (round) => `/audit?by=user-${round}`],
  ['… of nobody', (round) => `/audit?by=nobody-${round}`],
  ['… until a day', () => '/audit?day=2026-01-01'],
  ['approvals', () => '/approvals'],
  ["one's own account", () => '/me'],
  ['health', () => '/health'],
];

async function timesOf(
  address: (round: number) => string,
  { url, headers, signal }: { url: string; headers: Record<string, string>; signal: AbortSignal },
): Promise<number[]> {
  const times: number[] = [];
  // The first ones are left out: code is compiled in them.
  for (let round = -5; round < ROUNDS; round += 1) {
    const path = address(Math.max(0, round));
    const startedMs = performance.now();
    const answer = await fetch(`${url}${path}`, { headers, signal, redirect: 'manual' });
    await answer.text();
    if (round >= 0) times.push(performance.now() - startedMs);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  }
  return times;
}

function percentiles(times: number[]): string[] {
  times.sort((one, other) => one - other);
  return [0.5, 0.99].map((part) => numberText(times[Math.floor(times.length * part)] ?? 0, 1));
}

async function fillTrail(
  given: {
    redis: RunningRedis;
    connection: Redis;
    keys: ReturnType<typeof makeSharedKeys>;
    key: () => Promise<Buffer>;
  },
  signal: AbortSignal,
): Promise<void> {
  const { redis, connection, keys, key } = given;
  const trail = makeAuditTrail({
    connection,
    keys,
    key,
    dir: trailFolder({ dataDir: redis.dataDir, prefix: PREFIX, redisUrl: undefined }),
    account: 'https://bench.example',
    log: makeSilentLog(),
  });
  for (let made = 0; made < ENTRIES; made += AT_ONCE) {
    signal.throwIfAborted();
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        trail.note({
          by: `user-${(made + at) % USERS}`,
          what: 'rows retried',
          from: '10.0.0.7',
          about: `portfolio-${at % 97}`,
          facts: { states: ['refused'], cause: 'k3f9', planned: at },
        }),
      ),
    );
  }
}

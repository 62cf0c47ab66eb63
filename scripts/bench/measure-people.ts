import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { makeSharedKeys } from '../../src/ledger/keys.ts';
import { makePeople, type People } from '../../src/people/people.ts';
import { makeSecret } from '../../src/people/secret.ts';
import { numberText, spreadOf } from './figures.ts';
import { markdownTable } from './markdown-table.ts';
import type { RunningRedis } from './start-redis.ts';

const USERS = 1_000;
const PASSWORD = 'a bench under seven trees';
const WRONG = 'a bench under seven trunks';
const HERE = { from: '192.0.2.7', agent: 'bench' };

/** One after another, as the pages of one person come. */
const READS = 5_000;

const TRIES_PER_S = 1_000;
const TRIED_FOR_MS = 5_000;

/** In pieces, so that the tries come as evenly as a timer can have them. */
const PIECE_MS = 10;

/** A digest of `PASSWORD`, with the real cost; 1,000 of them would take minutes and say nothing more. */
export const KNOWN_DIGEST =
  '$argon2id$v=19$m=47104,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$iHjEV33A1Jps3e9DZQ4SHuT+eGZhLjpMdPcxrZD0JlY';

type Place = { redis: RunningRedis; signal: AbortSignal; say: (text: string) => void };

/**
 * What users cost: the look at a session that each page has, the list of 1,000 users, and what 1,000 wrong passwords a second take
 * of Redis and of the process, from one place and from as many places as there are tries.
 */
export async function measurePeople({ redis, signal, say }: Place): Promise<string> {
  const connection = new Redis({ path: redis.socketPath, maxRetriesPerRequest: null });
  try {
    const people = await fillUsers(connection, redis.dataDir);
    const begun = await people.signIn.password({ name: 'user-0', password: PASSWORD, ...HERE });
    if (begun.is !== 'in') throw new Error(`the sign-in is answered ${begun.is}`);
    const rows = [
      [
        'a page: the session read',
        ...(await timesOf(READS, () => people.sessions.read(begun.token, { counts: true }))),
      ],
      ['a page that has no session: whether there are users', ...(await timesOf(READS, () => people.required()))],
      ['50 of 1,000 users', ...(await timesOf(200, () => people.users.list({ after: 'user-5' })))],
      ['a user found by a part of the name', ...(await timesOf(200, () => people.users.list({ text: '99' })))],
    ];
    const tables = [markdownTable(['ms, one after another', 'median', 'slowest of 100', 'largest'], rows)];
    say(tables[0] ?? '');
    const onOne = () => ({ name: 'user-1', from: '198.51.100.4' });
    let number = 0;
    const onAll = () => {
      number += 1;
      return {
        name: `name-${number}`,
        from: `2001:db8:${(number >> 16).toString(16)}:${(number & 0xffff).toString(16)}::1`,
      };
    };
    const tried = [
      await triesOf('for one account from one place', onOne, { people, redis, signal }),
      await triesOf('for other names from other places', onAll, { people, redis, signal }),
    ];
    const header = ['1,000 wrong passwords a second', 'wait', 'busy', 'wrong', 'process, %', 'Redis, %', 'median, ms'];
    return [...tables, markdownTable(header, tried)].join('\n\n');
  } finally {
    connection.disconnect();
  }
}

async function fillUsers(connection: Redis, dataDir: string): Promise<People> {
  const prefix = 'bench';
  const keys = makeSharedKeys(prefix);
  const secret = makeSecret({ given: undefined, dataDir, connection, keys, prefix, where: 'Redis' });
  const people = makePeople({ connection, keys, secret, hash: async () => KNOWN_DIGEST });
  const names = Array.from({ length: USERS }, (_, number) => `user-${number}`);
  const user = { roles: ['viewer'], password: PASSWORD, mustChange: false };
  await Promise.all(names.map((name) => people.users.add({ ...user, name })));
  return people;
}

/** Median, the hundredth slowest of a hundred, and the largest, in ms. */
async function timesOf(count: number, work: () => Promise<unknown>): Promise<string[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
  }
  const { median, max } = spreadOf(times);
  const slow = times.sort((one, other) => one - other)[Math.floor(0.99 * count)] ?? max;
  return [median, slow, max].map((ms) => numberText(ms, 3));
}

async function triesOf(
  what: string,
  next: () => { name: string; from: string },
  { people, redis, signal }: { people: People; redis: RunningRedis; signal: AbortSignal },
): Promise<string[]> {
  const counts = { later: 0, busy: 0, no: 0, in: 0 };
  const times: number[] = [];
  const tryOne = async (): Promise<void> => {
    const startedMs = performance.now();
    const { is } = await people.signIn.password({ ...next(), password: WRONG, agent: '' });
    times.push(performance.now() - startedMs);
    counts[is] += 1;
  };
  const [redisBefore, before, startedMs] = [await redis.figures(), process.cpuUsage(), performance.now()];
  const under: Promise<void>[] = [];
  while (performance.now() - startedMs < TRIED_FOR_MS) {
    signal.throwIfAborted();
    const due = ((performance.now() - startedMs) / 1_000) * TRIES_PER_S;
    while (under.length < due) under.push(tryOne());
    await sleep(PIECE_MS);
  }
  await Promise.all(under);
  const tookMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(before);
  const redisMs = (await redis.figures()).cpuMs - redisBefore.cpuMs;
  const percents = [(user + system) / 1_000, redisMs].map((ms) => numberText((100 * ms) / tookMs, 1));
  const told = [counts.later, counts.busy, counts.no].map((count) => numberText(count));
  return [what, ...told, ...percents, numberText(spreadOf(times).median, 2)];
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Shared } from '../run/process.ts';
import type { QueueBoard } from './queue-board.ts';
import type { Database, Reply, Words } from './redis-server.ts';

/** The keys with the time for scripts and with expiry times. They belong to no account. */
const CLOCK = 'simulated:clock';
const EXPIRIES = 'simulated:expiries';

/** The replacement for scripts that ask Redis for the time or set an expiry. */
const PRELUDE = `local function simulatedExpire(unit, key, time)
  local now = redis.call('LRANGE', '${CLOCK}', 0, 1)
  redis.call('ZADD', '${EXPIRIES}', now[1] * 1000 + math.floor(now[2] / 1000) + time * unit, key)
  return redis.call('EXISTS', key)
end
`;

/** Scripts whose keys are their own, so that the time of their run makes no difference to other processes. */
const QUIET_SCRIPTS = new Set(
  'take look block known-answers unknown-answer ask-probe return-probe add-sample alive say-process'.split(' '),
);
/** Keys of the pace, its breakers and its samples, of the token, and of the marks of sent calls. */
const QUIET_KEYS = /:(pace|doors|pace:samples|workers|token[^:]*|marks)(:|$)/;

/** Sets the time for scripts and deletes expired keys. No key is read between that and the next command. */
const TICK = `redis.call('DEL', '${CLOCK}')
redis.call('RPUSH', '${CLOCK}', ARGV[1], ARGV[2])
for _, key in ipairs(redis.call('ZRANGEBYSCORE', '${EXPIRIES}', '-inf', ARGV[3])) do
  redis.call('DEL', key)
  redis.call('ZREM', '${EXPIRIES}', key)
end`;

/** Commands of the product that change nothing. */
const READS = new Set(
  'exists get hexists hget hgetall hkeys hlen hmget info lrange pttl scard sismember smembers strlen time ttl type zcard zcount zrange zrangebyscore zrevrange zscore'.split(
    ' ',
  ),
);

/** A command in the form of the server, a command that follows it once it was done, and the conversion of its reply. */
type Translated = { words: Words; after?: Words; becomes?: (reply: Reply) => Reply };

export type VirtualRedis = ReturnType<typeof makeVirtualRedis>;

/** The Redis of one run: the server of the run with simulated time. */
export function makeVirtualRedis(given: {
  server: Database;
  shared: Shared & { board?: QueueBoard };
  /** Changes the text of a script, to see that the fault is found. */
  mutate?: ((name: string, lua: string) => string) | undefined;
  /**
   * Receives, after each script that may have changed something, everything that disagrees in the account of this root
   * (check/agree.lua).
   */
  agree?: { root: string; hear: (found: Reply) => void };
}) {
  const { server, shared, mutate = (_name, lua) => lua, agree } = given;
  const known = new Map<string, { name: string; sha: string; writes: boolean }>();
  let clockMs = Number.NaN;
  let changes = 0;
  const learn = (lua: string, name: string): string => {
    const sha = shaOf(lua);
    if (!known.has(sha)) {
      const text = mutate(name, lua);
      known.set(sha, { name, sha: loadOnce(server, text), writes: isWriting(text) });
    }
    return sha;
  };

  const isQuiet = ([name, ...args]: Words): boolean => {
    if (name === 'evalsha' && QUIET_SCRIPTS.has(known.get(String(args[0]))?.name ?? '')) return true;
    const key = name === 'evalsha' || name === 'eval' ? args[2] : args[0];
    return name === 'multi' || name === 'exec' || QUIET_KEYS.test(String(key));
  };

  const mayWrite = ([name, sha]: Words): boolean =>
    name === 'evalsha' ? known.get(String(sha))?.writes !== false : !READS.has(name);

  const isChange = ([name, ...args]: Words): boolean => {
    const script = name === 'evalsha' ? known.get(String(args[0])) : undefined;
    return script?.writes === true && !QUIET_SCRIPTS.has(script.name);
  };

  const runScript = (lua: string, ...args: (string | number)[]): Words => [
    'EVALSHA',
    loadOnce(server, lua),
    0,
    ...args,
  ];

  /** Sends these commands at the current time. */
  const send = (commands: readonly Words[]): Promise<Reply[]> => {
    if (clockMs !== shared.nowMs) {
      clockMs = shared.nowMs;
      // Commands of one turn of the event loop reach Redis in order, so nobody needs to wait for the answer.
      void server.run([runScript(TICK, Math.floor(clockMs / 1_000), (clockMs % 1_000) * 1_000, clockMs)]);
    }
    return server.run(commands);
  };

  const translate = (words: Words): Translated => {
    const [name, ...args] = words;
    switch (name) {
      case 'time': {
        // Time moves on with each question, so that a process that polls for a later time ends.
        shared.nowMs += 1;
        const now = [String(Math.floor(shared.nowMs / 1_000)), String((shared.nowMs % 1_000) * 1_000)];
        return { words: ['PING'], becomes: () => now.map((part) => Buffer.from(part)) };
      }
      case 'info':
        // The real reply names the server, and no two replies are the same.
        return {
          words: ['PING'],
          becomes: () => Buffer.from('# Replication\r\nrole:master\r\nconnected_slaves:0\r\n'),
        };
      case 'eval': {
        const sha = learn(String(args[0]), 'a script');
        return { words: ['EVALSHA', known.get(sha)?.sha ?? '', ...args.slice(1)] };
      }
      case 'evalsha': {
        const script = known.get(String(args[0]));
        if (!script) return { words: ['EVALSHA', '0'.repeat(40), 0] };
        return { words: ['EVALSHA', script.sha, ...args.slice(1)] };
      }
      case 'exists':
      case 'zscore': {
        // The board knows the state of jobs.
        const [, queue, id] = /^simulated:queue:([^:]*):(.*)$/.exec(String(args[0])) ?? [];
        if (queue === undefined || id === undefined) return { words };
        const record = shared.board?.queues().find(({ name: one }) => one === queue);
        const isThere = name === 'exists' ? record?.jobs.has(id) : record?.stateOf(String(args[1])) === 'failed';
        if (name === 'exists') return { words: ['PING'], becomes: () => (isThere ? 1 : 0) };
        return { words: ['PING'], becomes: () => (isThere ? Buffer.from('1') : null) };
      }
      case 'pttl':
        return {
          words: ['ZSCORE', EXPIRIES, args[0] ?? ''],
          becomes: (reply) => (reply === null ? -2 : Number(reply) - shared.nowMs),
        };
      case 'pexpire':
      case 'expire': {
        const ms = Number(args[1]) * (name === 'expire' ? 1_000 : 1);
        return { words: ['ZADD', EXPIRIES, shared.nowMs + ms, args[0] ?? ''], becomes: () => 1 };
      }
      case 'set': {
        const place = args.findIndex((arg) => /^(PX|EX)$/i.test(String(arg)));
        if (place < 0) return { words };
        const ms = Number(args[place + 1]) * (/EX/i.test(String(args[place])) ? 1_000 : 1);
        const short = ['SET', ...args.filter((_, at) => at !== place && at !== place + 1)] as unknown as Words;
        return { words: short, after: ['ZADD', EXPIRIES, shared.nowMs + ms, args[0] ?? ''] };
      }
      default:
        return { words };
    }
  };

  return {
    learn,
    nameOf: (sha: string): string => known.get(sha)?.name ?? 'a script',

    isQuiet,
    /**
     * A counter of commands that may write to rows, calls, approvals or portfolios. None of these keys expires within
     * an hour.
     */
    changes: (): number => changes,

    /** Runs these commands at once, at the current time. */
    async run(batch: readonly Words[]): Promise<Reply[]> {
      const translated = batch.map(translate);
      const inTransaction = batch[0]?.[0] === 'multi';
      const isChecked = agree !== undefined && !inTransaction && batch.some(isChange);
      const look: Words[] = isChecked ? [runScript(AGREE, agree.root, '')] : [];
      if (batch.some((words) => mayWrite(words) && !isQuiet(words))) changes += 1;
      const replies = await send([...translated.map(({ words }) => words), ...look]);
      if (isChecked) agree.hear(replies.pop() ?? null);
      const came: Reply[] = [];
      const after: Words[] = [];
      for (const [place, one] of translated.entries()) {
        const reply = replies[place] ?? null;
        const isDone = reply !== null && !(reply instanceof Error);
        if (one.after && isDone) after.push(one.after);
        came.push(one.becomes && !inTransaction && !(reply instanceof Error) ? one.becomes(reply) : reply);
      }
      if (after.length > 0) await server.run(after);
      return came;
    },

    /** Returns a function that restores the current state later. */
    async keep(): Promise<() => Promise<void>> {
      const [names] = await send([['KEYS', '*']]);
      const keys = (Array.isArray(names) ? names : []).map(String).filter((key) => !key.startsWith('simulated:'));
      const dumps = await server.run(keys.map((key): Words => ['DUMP', key]));
      return async () => {
        const restored = keys.map((key, place): Words => ['RESTORE', key, 0, dumps[place] as Buffer]);
        await server.run([['FLUSHDB'], ...restored]);
        clockMs = Number.NaN;
        changes += 1;
      };
    },

    /** Everything that disagrees at this moment. */
    async disagreements(): Promise<Reply> {
      if (!agree) return [];
      const [found] = await send([runScript(AGREE, agree.root, '1')]);
      return found ?? null;
    },

    /** Runs a script for the simulator itself, which is no boundary of a process. */
    async ask(lua: string): Promise<Reply[]> {
      const [answer] = await send([runScript(lua)]);
      if (answer instanceof Error) throw answer;
      return answer as Reply[];
    },
  };
}

/** The script with simulated time and expiry. Its first line, which Redis reads, stays the first. */
function virtualText(lua: string): string {
  const text = lua
    .replaceAll("redis.call('TIME')", `redis.call('LRANGE', '${CLOCK}', 0, 1)`)
    .replaceAll("redis.call('PEXPIRE', ", 'simulatedExpire(1, ')
    .replaceAll("redis.call('EXPIRE', ", 'simulatedExpire(1000, ');
  if (!text.includes('simulatedExpire(')) return text;
  const [first = '', ...rest] = text.split('\n');
  return [first, PRELUDE + rest.join('\n')].join('\n');
}

const shas = new Map<string, string>();

function shaOf(lua: string): string {
  const found = shas.get(lua) ?? createHash('sha1').update(lua).digest('hex');
  shas.set(lua, found);
  return found;
}

const AGREE = readFileSync(new URL('../check/agree.lua', import.meta.url), 'utf8');

const writing = new Map<string, boolean>();

/** Whether a script may change something, according to its first line. */
function isWriting(lua: string): boolean {
  const writes = writing.get(lua) ?? !lua.slice(0, 80).includes('flags=no-writes');
  writing.set(lua, writes);
  return writes;
}

const loaded = new Map<string, string>();

/** Loads an unchanged script once for a server, however many runs it serves. Returns its name in Redis. */
function loadOnce(server: Database, lua: string): string {
  const known = loaded.get(lua);
  if (known !== undefined) return known;
  const text = virtualText(lua);
  void server.run([['SCRIPT', 'LOAD', text]]);
  const sha = shaOf(text);
  loaded.set(lua, sha);
  return sha;
}

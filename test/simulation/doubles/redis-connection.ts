import { Command, Redis } from 'ioredis';
import type { RedisConnection } from '../../../src/lua-script.ts';
import { here, pass } from '../run/process.ts';
import type { Reply, Words } from './redis-server.ts';
import type { VirtualRedis } from './virtual-redis.ts';

/** A pipeline or a transaction: its commands reach Redis in one write. */
type Batch = { commands: Command[]; pass: Promise<void> };

type DoubledRedis = { redis: VirtualRedis };

/** Commands that only read; a story need not mention a lost reply to one. */
const brief = ([name, ...args]: Words, redis: VirtualRedis): string => {
  if (name === 'evalsha') return `${redis.nameOf(String(args[0]))} ${shortened(args.slice(2))}`;
  return `${name} ${shortened(args)}`;
};

const shortened = (args: readonly unknown[]): string => args.map(String).join(' ').slice(0, 160);

/**
 * A connection of the process that makes it, with the interface of ioredis. Each command or pipeline is a boundary. It
 * is ioredis itself, except that commands go to the scheduler and not to a socket.
 */
class ProcessConnection extends Redis {
  readonly #batches = new WeakMap<object, Batch>();
  readonly #redis: VirtualRedis;
  readonly #mayFail: boolean;

  constructor(redis: VirtualRedis, mayFail: boolean) {
    super({ lazyConnect: true, enableAutoPipelining: false, protocol: 2 });
    this.#redis = redis;
    this.#mayFail = mayFail;
    this.status = 'ready';
  }

  override connect(): Promise<void> {
    return Promise.resolve();
  }

  override disconnect(): void {
    this.emit('end');
  }

  override defineCommand(name: string, { lua = '' }: { lua?: string }): void {
    const sha = this.#redis.learn(lua, name.replace('limitline:', ''));
    // All connections have the same scripts under the same names.
    if (Reflect.has(this, name)) return;
    Reflect.set(ProcessConnection.prototype, name, function (this: ProcessConnection, ...args: (string | number)[]) {
      return this.sendCommand(new Command('evalsha', [sha, ...args], { replyEncoding: 'utf8' }));
    });
  }

  override sendCommand(command: Command, stream?: unknown): unknown {
    command.setReplyContext({ protocol: 2, replyMapping: 'legacy' });
    const known = typeof stream === 'object' && stream ? this.#batches.get(stream) : undefined;
    if (known) {
      known.commands.push(command);
      return command.promise;
    }
    const batch: Batch = { commands: [command], pass: Promise.resolve() };
    if (typeof stream === 'object' && stream) this.#batches.set(stream, batch);
    // Commands of the same moment belong to the same write.
    queueMicrotask(() => this.#send(batch));
    return command.promise;
  }

  #send({ commands }: Batch): void {
    const redis = this.#redis;
    const words = commands.map(wordsOf);
    const what = (): string => words.map((one) => one.map(String).join(' ')).join('; ');
    const passing = pass<Reply[]>(what, () => redis.run(words), {
      brief: () => words.map((one) => brief(one, redis)).join('; '),
      isQuiet: words.every((one) => redis.isQuiet(one)),
      mayRepeat: true,
      mayFail: this.#mayFail,
      tell: (replies) => () => replies.map(told).join(';'),
    });
    const answer = (replies: readonly Reply[]): void => {
      for (const [place, command] of commands.entries()) {
        const reply = replies[place] ?? null;
        if (reply instanceof Error) command.reject(reply);
        else command.resolve(reply);
      }
    };
    passing.then(answer, (error: Error) => answer(commands.map(() => error)));
  }
}

function wordsOf(command: Command): Words {
  return [command.name.toLowerCase(), ...(command.args as (string | Buffer)[])];
}

function told(reply: Reply): string {
  if (Array.isArray(reply)) return `[${reply.map(told).join(',')}]`;
  if (reply instanceof Error) return `error ${reply.message}`;
  return Buffer.isBuffer(reply) ? reply.toString('latin1') : String(reply);
}

/** Replaces src/redis/open-redis.ts: each process that opens Redis has its own connections to the Redis of its run. */
export async function openRedis() {
  const { redis } = here().shared as unknown as DoubledRedis;
  return {
    connect: (role: string) => new ProcessConnection(redis, role !== 'worker') as unknown as RedisConnection,
    where: 'the simulated Redis',
    close: async () => {},
  };
}

import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { redisPlace } from './redis/own-database.ts';

export type ScriptServer = ReturnType<typeof makeScriptServer>;

/** The clock of scripts, which is replaced by their last argument, in µs. */
const REDIS_CLOCK = "redis.call('TIME')";
const VIRTUAL_CLOCK = '{ 0, tonumber(ARGV[#ARGV]) }';

type Command = { args: (string | number)[]; resolve: (reply: unknown) => void; reject: (error: unknown) => void };
type Client = { underWay: number; wake: () => void };

/**
 * The Redis of the test run for simulations that wait for its answers. Their commands are sent together once all of
 * them wait, because a trip with ten commands costs the machine about as much as one with a single command.
 */
export function makeScriptServer() {
  const redis = new Redis({ ...redisPlace(), maxRetriesPerRequest: null });
  const clients = new Set<Client>();
  const loaded = new Set<string>();
  let waiting = 0;
  let commands: Command[] = [];

  const sendWhereAllWait = (): void => {
    if (waiting < clients.size || commands.length === 0) return;
    const batch = commands;
    commands = [];
    const pipeline = redis.pipeline();
    for (const { args } of batch) {
      const [name = '', ...rest] = args;
      pipeline.call(String(name), ...rest);
    }
    void pipeline.exec().then((replies) => {
      for (const [at, command] of batch.entries()) {
        const [error, reply] = replies?.[at] ?? [new Error('No reply came.'), undefined];
        if (error) command.reject(error);
        else command.resolve(reply);
      }
    });
  };

  return {
    /** Adds a simulation. */
    join() {
      const client: Client = { underWay: 0, wake: () => {} };
      clients.add(client);
      const send = (args: (string | number)[]): Promise<unknown> => {
        client.underWay += 1;
        return new Promise((resolve, reject) => {
          commands.push({ args, resolve, reject });
        }).finally(() => {
          client.underWay -= 1;
          client.wake();
        });
      };
      return {
        /** Loads a script that uses the clock of its caller, and returns its name. */
        load(command: string, lua: string): string {
          if (!lua.includes(REDIS_CLOCK))
            throw new Error(`${command} reads the clock in a way that is not known here.`);
          const text = lua.replace(REDIS_CLOCK, VIRTUAL_CLOCK);
          const sha = createHash('sha1').update(text).digest('hex');
          // Sent first on the same connection, so it precedes all calls.
          if (!loaded.has(sha)) void redis.script('LOAD', text);
          loaded.add(sha);
          return sha;
        },
        run: (sha: string, args: (string | number)[], nowUs: number) => send(['EVALSHA', sha, ...args, nowUs]),
        call: (command: string, args: unknown[]) => send([command, ...(args as (string | number)[])]),

        isWaiting: () => client.underWay > 0,
        /** Reports that the simulation waits, until one of its commands is answered. */
        reply: async (): Promise<void> => {
          waiting += 1;
          const woken = new Promise<void>((resolve) => {
            client.wake = resolve;
          });
          sendWhereAllWait();
          await woken;
          waiting -= 1;
        },
        leave(): void {
          clients.delete(client);
          sendWhereAllWait();
        },
      };
    },

    close: (): void => redis.disconnect(),
  };
}

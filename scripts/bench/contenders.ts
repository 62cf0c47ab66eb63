import { fileURLToPath } from 'node:url';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { Contender } from './run-contender.ts';
import type { RunningRedis } from './start-redis.ts';

/** Where a run takes place. */
export type ContenderPlace = { file: string; serviceUrl: string; redis: RunningRedis };

/** What a run says of itself: when it had read the first line, when the last row had ended, in ms since 1970. */
type Statement = { done: number; startedMs: number; finishedMs: number };

/** One way to get a limit requested for each row of a file. */
export type RowContender = {
  name: string;
  /** Whether it keeps anything in the Redis of its place. */
  usesRedis: boolean;
  command: (place: ContenderPlace) => Contender;
  statement: (answer: unknown) => Statement;
};

/** The product, and two ways in which others would do it. Each is a process of its own with the same inputs. */
export const ROW_CONTENDERS: readonly [RowContender, ...RowContender[]] = [
  {
    name: 'Limitline',
    usesRedis: true,
    command: ({ file, serviceUrl, redis }) => ({
      script: limitlineScript(),
      args: ['run', file, '--json', '--no-results'],
      env: { ...serviceSettings(serviceUrl), LIMITLINE_DATA: redis.dataDir },
    }),
    statement: (answer) => {
      const { states, started, finished } = answer as {
        states: { done: number };
        started: string;
        finished: string | null;
      };
      return { done: states.done, startedMs: Date.parse(started), finishedMs: Date.parse(finished ?? '') };
    },
  },
  {
    name: 'script in memory',
    usesRedis: false,
    command: ({ file, serviceUrl }) => ({
      script: peer('script-in-memory'),
      args: [file],
      env: serviceSettings(serviceUrl),
    }),
    statement: (answer) => answer as Statement,
  },
  {
    name: 'textbook BullMQ',
    usesRedis: true,
    command: ({ file, serviceUrl, redis }) => ({
      script: peer('textbook-bullmq'),
      args: [file],
      env: { ...serviceSettings(serviceUrl), REDIS_SOCKET: redis.socketPath },
    }),
    statement: (answer) => answer as Statement,
  },
];

/** Times that a contender states itself are believed if they lie within its process's life. */
export function checkStatement(
  name: string,
  { done, startedMs, finishedMs }: Statement,
  lived: { fromMs: number; toMs: number; rows: number },
): void {
  const inOrder = lived.fromMs <= startedMs && startedMs <= finishedMs && finishedMs <= lived.toMs;
  if (done === lived.rows && inOrder) return;
  const stated = JSON.stringify({ done, startedMs, finishedMs });
  throw new LimitlineError(
    'USAGE',
    `${name} states ${stated}, and should have done ${lived.rows} rows between ${lived.fromMs} and ${lived.toMs}.`,
  );
}

/** Those that are not ours. */
export const PEERS: readonly RowContender[] = ROW_CONTENDERS.slice(1);

/** The product's command line, as users start it: what was compiled once is kept. */
export function limitlineScript(): string {
  return fileURLToPath(new URL('../limitline.cjs', import.meta.url));
}

function peer(name: string): string {
  return fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url));
}

/** What it takes to speak to the stand-in at this address. */
export function serviceSettings(url: string): Record<string, string> {
  return {
    SERVICE_URL: url,
    SERVICE_CLIENT_ID: STAND_IN_CREDENTIALS.clientId,
    SERVICE_CLIENT_SECRET: STAND_IN_CREDENTIALS.clientSecret,
  };
}

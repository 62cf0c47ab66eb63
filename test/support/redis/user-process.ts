/**
 * For tests: a small command that opens the Redis of the data folder (or of REDIS_URL), reports it, and follows its
 * standard input. It answers each line with a line of JSON, and ends with `close` after leaving properly.
 */
import { createInterface } from 'node:readline';
import { LimitlineError } from '../../../src/errors.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { openRedis } from '../../../src/redis/open-redis.ts';

const [dataDir = '', task = 'serve', count = '0'] = process.argv.slice(2);
const options = { url: process.env.REDIS_URL, dataDir, log: makeSilentLog() };
const say = (answer: unknown) => process.stdout.write(`${JSON.stringify(answer)}\n`);

try {
  if (task === 'cycle') await cycle(Number(count));
  else await serve();
} catch (error) {
  say({
    fault: error instanceof LimitlineError ? error.message : String(error),
    code: Reflect.get(Object(error), 'code'),
  });
  process.exitCode = 1;
}

/** Joins, counts and leaves repeatedly. */
async function cycle(times: number): Promise<void> {
  for (let done = 0; done < times; done += 1) {
    const server = await openRedis(options);
    await server.connect('ledger').incr('cycles');
    await server.close();
  }
  say({ cycles: times });
}

async function serve(): Promise<void> {
  const server = await openRedis(options);
  const redis = server.connect('ledger');
  say({ server: await serverPid() });
  for await (const line of createInterface(process.stdin)) {
    if (line === 'close') break;
    if (line === 'incr') say({ count: await redis.incr('count') });
    if (line === 'server') say({ server: await serverPid() });
  }
  await server.close();
  say({ closed: true });

  async function serverPid(): Promise<number> {
    return Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  }
}

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRedisServer } from './doubles/redis-server.ts';
import { play } from './run/simulation.ts';
import { realNowMs } from './run/virtual-globals.ts';
import { settingsOf } from './worlds/people.ts';
import { twoWorkers } from './worlds/two-workers.ts';

/** Runs that go on beside each other, each in a database of its own: what one waits for, another uses. */
const LANES = 12;

/** `npm run simulate`: see README.md here. */
export async function simulate(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { same: { type: 'string', default: '1000' } } });
  const server = await startRedisServer();
  try {
    const dataDir = join(server.dir, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    const world = twoWorkers(settingsOf(dataDir));
    let left = Number(values.same);
    const digests = new Map<string, number>();
    const beganMs = realNowMs();
    const lane = async (database: number): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const { digest, broken } = await play(
          world,
          { order: world.cast, deviations: {}, answers: {} },
          server.open(database),
        );
        if (broken) throw new Error(broken);
        digests.set(digest, (digests.get(digest) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, place) => lane(place)));
    const perS = Number(values.same) / ((realNowMs() - beganMs) / 1_000);
    for (const [digest, times] of digests) console.log(`${world.name}: ${times} times ${digest}`);
    console.error(`${perS.toFixed(0)} schedules a second`);
    if (digests.size > 1) process.exitCode = 1;
  } finally {
    await server.close();
  }
}

import { inject } from 'vitest';

/** Databases of the test run's Redis: an empty one takes next to nothing. */
export const DATABASES = 2_048;

/** So many for each process of the run, of which there are a few; all tests that need none of their own share the first. */
const OF_EACH = 400;

let given = 0;

/**
 * A database of the test run's Redis for a test that goes through all keys that there are: those of thousands of other tests, a
 * million at the end of a run, would take it a second each time.
 */
export function ownDatabase(): number {
  given = (given + 1) % OF_EACH;
  return 1 + ((Number(process.env.VITEST_POOL_ID ?? 1) % 5) * OF_EACH + given);
}

/** The setting by which a workplace has such a database. */
export function ownRedis(): { REDIS_URL: string } {
  return { REDIS_URL: `${inject('redisUrl')}/${ownDatabase()}` };
}

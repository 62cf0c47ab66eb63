import { inject } from 'vitest';

/** Of the test run's Redis, one for each process of the run: an empty one takes next to nothing. */
export const DATABASES = 256;

/**
 * The database of this process of the run, which is emptied before each file of tests: whatever goes through all keys that there are, as the
 * nightly check does, would otherwise go through those of thousands of other tests, a million at the end of a run.
 */
const OWN = Number(process.env.VITEST_POOL_ID);

/** Where it is, as a setting says it. */
export const redisUrl = (): string => `${inject('redisUrl')}/${OWN}`;

/** The same for a connection of a test's own. */
export const redisPlace = (): { path: string; db: number } => ({ path: inject('redisSocket'), db: OWN });

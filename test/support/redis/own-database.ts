import { inject } from 'vitest';

/** One database of the test run's Redis for each process of the run; an empty one costs almost nothing. */
export const DATABASES = 256;

/**
 * The database of this process, which is emptied before each test file. Otherwise code that walks all keys, such as the
 * nightly check, would walk those of thousands of tests, a million keys at the end of a run.
 */
const OWN = Number(process.env.VITEST_POOL_ID);

/** Its address as a setting. */
export const redisUrl = (): string => `${inject('redisUrl')}/${OWN}`;

/** Its address for a connection of a test. */
export const redisPlace = (): { path: string; db: number } => ({ path: inject('redisSocket'), db: OWN });

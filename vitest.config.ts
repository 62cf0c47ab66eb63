import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/redis/global-redis.ts'],
    reporters: ['default', './test/support/last-line-reporter.ts'],
    // No test uses the user's own data folder; one that would fails.
    env: { XDG_DATA_HOME: '/dev/null/no-folder' },
    // Whole runs against real servers on two shared cores: generous, and never a way to wait.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // More than cores, since most of the tests wait for others most of the time.
    maxWorkers: 4,
    // Conditions are waited for as long as a slow machine may take, and noticed at once.
    expect: { poll: { timeout: 30_000, interval: 20 } },
  },
});

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

/**
 * Tests that need a process of their own: they stand in for a module or load one anew, measure what memory their process takes, or pay the full
 * price of a password. All others share theirs, since loading the product anew for each of six hundred files costs more than most of them.
 */
const ALONE = [
  'test/console/html/texts.test.ts',
  'test/console/other-language.test.ts',
  'test/jobs/archive/archive-files.test.ts',
  'test/jobs/drafts/documents-race.test.ts',
  'test/jobs/drafts/go-back-full-disk.test.ts',
  'test/people/passwords/password-hash.test.ts',
  'test/table/cells.test.ts',
  'test/portfolio/bad-input.test.ts',
  'test/portfolio/lines/duplicates.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/support/redis/global-redis.ts', 'test/support/global-bundle.ts'],
    setupFiles: ['test/support/redis/empty-database.ts'],
    reporters: ['default', './test/support/last-line-reporter.ts'],
    // No test uses the user's own data folder; one that would fails.
    env: { XDG_DATA_HOME: '/dev/null/no-folder' },
    // Whole runs against real servers on two shared cores: generous, and never a way to wait.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // More than cores, since tests wait for others much of the time; still more only costs, as six of them showed.
    maxWorkers: 5,
    // What a test puts in place of something is gone with it, since files share their process.
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { sequencer: LongestFirst },
    // Conditions are waited for as long as a slow machine may take, and noticed at once.
    expect: { poll: { timeout: 120_000, interval: 40 } },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: ALONE,
          isolate: false,
          // Node loads the files itself: code that Vite has rewritten takes a fifteenth more processor time.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          execArgv: [
            '--import',
            fileURLToPath(new URL('./test/support/quick-product.ts', import.meta.url)),
            // Files of a long-lived process leave much behind: young memory of this size is gone through a quarter as often.
            '--max-semi-space-size=64',
          ],
        },
      },
    ],
  },
});

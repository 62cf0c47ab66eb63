/** Texts of product files and their replacements in tests. */
const CHANGES: [file: RegExp, text: string, quick: string][] = [
  // Hundreds of sign-ins would take 46 MiB and 80 ms of a core each. The test of the digest itself does without this
  // change.
  [/\/src\/people\/passwords\/password-hash\.ts$/, 'memory: 47_104', 'memory: 64'],
  // The nightly check yields to workers, which would include tests that share the Redis.
  [
    /\/src\/context\.ts$/,
    'makeConsiderate({ usedMs: () => redisUsedMs(ledger), signal })',
    '<T>(command: () => T) => command()',
  ],
  // The test run reaches Redis by its Unix socket. A command takes two thirds of the processor time of TCP, on both
  // sides.
  [
    /\/src\/redis\/connect\.ts$/,
    'return { host, port, db: target.db,',
    'return { ...(String(port) === process.env.QUICK_REDIS_PORT && !target.tls ? { path: process.env.QUICK_REDIS_SOCKET } : { host, port }), db: target.db,',
  ],
];

/** Plugins of vitest that make some expensive parts of the product cheap in tests. */
export const QUICK_PRODUCT = CHANGES.map(([file, text, quick]) => ({
  name: `quick ${file.source}`,
  enforce: 'pre' as const,
  transform: {
    filter: { id: file },
    handler(code: string, path: string): string {
      if (!code.includes(text)) throw new Error(`${path} does not say "${text}"`);
      return code.replace(text, quick);
    },
  },
}));

/** Text of the product, by its file, and what tests have in its place. */
const CHANGES: [file: RegExp, text: string, quick: string][] = [
  // Hundreds of sign-ins would take 46 MiB and 80 ms of one core each. The test of the digest itself does without this change.
  [/\/src\/people\/passwords\/password-hash\.ts$/, 'memory: 47_104', 'memory: 64'],
  // The nightly check makes way for whoever works: here these would be the tests that share the Redis.
  [
    /\/src\/context\.ts$/,
    'makeConsiderate({ usedMs: () => redisUsedMs(ledger), signal })',
    '<T>(command: () => T) => command()',
  ],
  // The run's own Redis is reached by its Unix socket: a command takes two thirds of the processor time that it takes by TCP, on both sides.
  [
    /\/src\/redis\/connect\.ts$/,
    'return { host, port, db: target.db,',
    'return { ...(String(port) === process.env.QUICK_REDIS_PORT && !target.tls ? { path: process.env.QUICK_REDIS_SOCKET } : { host, port }), db: target.db,',
  ],
];

/** Plugins of vitest by which some of the product costs tests next to nothing. */
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

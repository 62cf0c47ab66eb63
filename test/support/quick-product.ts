import { registerHooks } from 'node:module';

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

/** Makes some expensive parts of the product cheap. Node loads this file before the tests (vitest.config.ts). */
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    for (const [file, text, quick] of CHANGES.filter(([path]) => path.test(url))) {
      const code = String(loaded.source);
      if (!code.includes(text)) throw new Error(`${file.source} does not say "${text}"`);
      loaded.source = code.replace(text, quick);
    }
    return loaded;
  },
});

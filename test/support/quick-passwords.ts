/** The memory of a digest in product and tests, in KiB. */
const [FULL, QUICK] = ['memory: 47_104', 'memory: 64'];

/**
 * A plugin of vitest by which a password costs tests next to nothing: hundreds of sign-ins would take 46 MiB and 80 ms of one core
 * each. The test of the digest itself has a process of its own, without this plugin.
 */
export const QUICK_PASSWORDS = {
  name: 'quick passwords',
  enforce: 'pre' as const,
  transform: {
    filter: { id: /\/src\/people\/passwords\/password-hash\.ts$/ },
    handler(code: string, path: string): string {
      if (!code.includes(FULL)) throw new Error(`${path} does not say "${FULL}"`);
      return code.replace(FULL, QUICK);
    },
  },
};

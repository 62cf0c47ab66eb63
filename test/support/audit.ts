import { randomBytes } from 'node:crypto';
import { makeAuditTrail } from '../../src/audit/audit-trail.ts';
import { makeSharedKeys } from '../../src/ledger/schema/keys.ts';
import type { Log } from '../../src/log.ts';
import { connectRedis, freshPrefix } from './ledger.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** An installation with its own audit trail, and as many processes of it as a test needs. */
export async function openTrails() {
  const keys = makeSharedKeys(freshPrefix());
  const key = randomBytes(32);
  const admin = connectRedis();
  const { dir } = await makeTemporaryFolder();
  const logged: string[] = [];
  const note = (_facts: unknown, words: string) => void logged.push(words);
  const log = { error: note, warn: note, info: note } as unknown as Log;
  return {
    keys,
    key,
    dir,
    /** The logs of the processes. */
    logged,
    /** A connection for manipulating the trail. */
    admin,
    /** The trail as a separate process sees it, or another host when it has its own `dir`. */
    process: (changes: Partial<Parameters<typeof makeAuditTrail>[0]> = {}) =>
      makeAuditTrail({
        connection: connectRedis(),
        keys,
        dir,
        key: async () => key,
        account: 'stand-in',
        log,
        ...changes,
      }),
  };
}

/** An action of Alice. */
export const NOTE = { by: 'alice', what: 'rows retried', from: '127.0.0.1', about: 'q4' } as const;

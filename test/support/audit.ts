import { randomBytes } from 'node:crypto';
import { makeAuditTrail } from '../../src/audit/audit-trail.ts';
import { makeSharedKeys } from '../../src/ledger/keys.ts';
import type { Log } from '../../src/log.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { connectRedis, freshPrefix } from './ledger.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** An installation with an audit trail of its own, and as many processes of it as a test wants. */
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
    /** What the processes said in their logs. */
    logged,
    /** For doing what nobody should. */
    admin,
    /** The trail as a process of its own sees it; of another host with a `dir` of its own. */
    process: (changes: { dir?: string; key?: Uint8Array; connection?: RedisConnection; countEveryMs?: number } = {}) =>
      makeAuditTrail({
        connection: connectRedis(),
        keys,
        dir,
        account: 'stand-in',
        log,
        ...changes,
        key: async () => changes.key ?? key,
      }),
  };
}

/** Something that Alice did. */
export const NOTE = { by: 'alice', what: 'rows retried', from: '127.0.0.1', about: 'q4' } as const;

import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import { makeLastLinkMemory } from '../files/last-link.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { type AuditKeys, makeAppender, type WrittenEntry } from './append.ts';
import type { Audit, AuditNote } from './audit.ts';
import { type Chain, makeChain } from './chain.ts';
import type { EntryDraft } from './entry.ts';
import { makeTrailReader } from './read-trail.ts';
import { makeRefusals } from './refusals.ts';
import { type Cut, cutTrail } from './retention.ts';
import { verifyTrail } from './verify-trail.ts';

/** For what is written behind something that was done: a Redis that answers at all does so by then, and a command that ends can wait. */
const AFTERWARDS_MS = 1_000;

export type AuditTrail = ReturnType<typeof makeAuditTrail>;

/**
 * The audit trail of an installation: entries that are chained by a key outside Redis and never changed, one trail for all of
 * its accounts and processes.
 *
 * @param given.key 32 bytes: `secret.key('audit')`; asked for when the first entry is written or verified
 * @param given.dir where the last link is remembered, outside Redis
 * @param given.account in whose name entries are written
 * @param given.countEveryMs see {@link makeRefusals}; for tests
 */
export function makeAuditTrail(given: {
  connection: RedisConnection;
  keys: AuditKeys;
  key: () => Promise<Uint8Array>;
  dir: string;
  account: string;
  log: Log;
  countEveryMs?: number;
}) {
  const { connection, keys, account, log } = given;
  const last = makeLastLinkMemory(given.dir);
  let known: Chain | undefined;
  const chain = async (): Promise<Chain> => {
    known ??= makeChain(await given.key());
    return known;
  };
  const reader = makeTrailReader({ connection, keys });
  const listeners: ((entry: WrittenEntry) => void)[] = [];
  const onWritten = (entry: WrittenEntry): void => listeners.forEach((listener) => void listener(entry));
  const { append } = makeAppender({ connection, keys, chain, last, account, log, onWritten });
  const note = async (noted: AuditNote): Promise<void> => void (await append(noted));
  const refusals = makeRefusals({ note, log, everyMs: given.countEveryMs });

  /** What was done is done, so a fault of Redis now is said and nothing else; and while it is away, nobody waits for it for long. */
  const appendAfterwards = async (draft: EntryDraft): Promise<void> => {
    const written = append(draft).catch((error) => {
      log.error(
        { entry: draft.of, reason: messageOf(error) },
        'the audit trail could not be told what came of this entry',
      );
    });
    const enough = new AbortController();
    await Promise.race([written, sleep(AFTERWARDS_MS, undefined, { signal: enough.signal }).catch(() => {})]);
    enough.abort();
  };

  const audit: Audit = {
    note,
    refusal: refusals.refusal,
    async around(noted, act, facts, came = () => 'done') {
      const begun = await append({ ...noted, is: 'begun' });
      const { by, what, from, about } = noted;
      const behind = { by, what, from, ...(about === undefined ? {} : { about }), of: begun };
      try {
        const answer = await act();
        await appendAfterwards({ ...behind, is: came(answer), ...(facts ? { facts: facts(answer) } : {}) });
        return answer;
      } catch (error) {
        await appendAfterwards({ ...behind, is: 'failed', facts: { reason: messageOf(error) } });
        throw error;
      }
    },
  };

  return {
    ...audit,
    /** From now on tells of each entry of this process that stands. */
    onWritten: (listener: (entry: WrittenEntry) => void): void => void listeners.push(listener),
    /** Reads entries as they stand; see {@link makeTrailReader}. */
    read: reader,
    /** Checks all entries, or those from a number on; see {@link verifyTrail}. */
    verify: async (from?: number, signal?: AbortSignal) =>
      verifyTrail({ connection, keys, chain: await chain(), last, reader, from, signal }),
    /** The last link that this host remembers. */
    remembered: last.read,
    /** The chain, for checking an export. @throws LimitlineError where the key cannot be had */
    chain,
    /** Cuts off what is older than a time, behind a checkpoint; see {@link cutTrail}. */
    cut: (range: { beforeMs: number; by: string; from: string }): Promise<Cut | undefined> =>
      cutTrail(range, { connection, keys, reader, append }),
    /** Writes what refusals are only counted yet. For the end of a process, while Redis is still connected. */
    close: refusals.flush,
  };
}

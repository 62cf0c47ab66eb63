import { messageOf } from '../errors.ts';
import { type LastLinkMemory, makeLastLinkMemory } from '../files/last-link.ts';
import { inTime } from '../in-time.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { type AuditKeys, makeAppender, type WrittenEntry } from './append.ts';
import type { Audit, AuditNote } from './audit.ts';
import { CHECKPOINT, type Chain, type CheckpointFacts, type EntryDraft, makeChain } from './entry.ts';
import { makeTrailReader, type TrailReader } from './read-trail.ts';
import { makeRefusals } from './refusals.ts';
import { makeVerifier, type Remembered, type TrailCheck } from './verify.ts';

/** Longest wait for the entry on an action's outcome, in ms. A working Redis takes less, and a command that is ending can wait this long. */
const AFTERWARDS_MS = 1_000;

export type AuditTrail = ReturnType<typeof makeAuditTrail>;

/**
 * The audit trail of an installation: entries that are chained by a key outside Redis and never changed, one trail for all accounts and
 * processes.
 *
 * @param given.key 32 bytes, `secret.key('audit')`; called when the first entry is written or verified
 * @param given.dir folder outside Redis where the last link is remembered
 * @param given.account account in whose name entries are written
 * @param given.mark writes a mark into Redis and the data folder, and never rejects: a Redis that lacks it lacks the action, too
 * @param given.countEveryMs see {@link makeRefusals}; for tests
 */
export function makeAuditTrail(given: {
  connection: RedisConnection;
  keys: AuditKeys;
  key: () => Promise<Uint8Array>;
  dir: string;
  account: string;
  log: Log;
  mark?: () => Promise<void>;
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

  /**
   * Writes the entry on an action's outcome, and a mark by which Redis shows that it has the action. The action is done, so a failure is
   * only logged, and the caller waits for {@link AFTERWARDS_MS} at most.
   */
  const appendAfterwards = async (draft: EntryDraft): Promise<void> => {
    const written = append(draft).catch((error) => {
      log.error(
        { entry: draft.of, reason: messageOf(error) },
        'the outcome of the action of this entry could not be written to the audit trail',
      );
    });
    await Promise.all([inTime(written, AFTERWARDS_MS, () => {}), given.mark?.()]);
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
    /** Calls `listener` with each entry that this process writes from now on. */
    onWritten: (listener: (entry: WrittenEntry) => void): void => void listeners.push(listener),
    /** Reads entries without checking them; see {@link makeTrailReader}. */
    read: reader,
    /** Checks all entries, or those from a number on; see {@link verifyTrail}. */
    verify: async (from?: number, signal?: AbortSignal) =>
      verifyTrail({ connection, keys, chain: await chain(), last, reader, from, signal }),
    /** The last link that this host remembers. */
    remembered: last.read,
    /** The chain of this installation's key, to check an export by it. @throws LimitlineError without the key */
    chain,
    /** Deletes entries older than a time, after a checkpoint; see {@link cutTrail}. */
    cut: (range: { beforeMs: number; by: string; from: string }): Promise<Cut | undefined> =>
      cutTrail(range, { connection, keys, reader, append }),
    /** Writes the entry that counts the refusals without an entry of their own. Call it at the end of a process, while Redis is connected. */
    close: refusals.flush,
  };
}

/** What a cut of the trail deleted: the number of the last deleted entry, and how many entries. */
export type Cut = { upTo: number; count: number };

/**
 * Deletes entries older than a time. Before that it appends a checkpoint: the last deleted number, its link, and the number of entries. The
 * trail then counts as complete if it begins right after that last deleted number; any other beginning is a fault. Without old entries
 * nothing is written.
 */
async function cutTrail(
  { beforeMs, by, from }: { beforeMs: number; by: string; from: string },
  given: {
    connection: RedisConnection;
    keys: AuditKeys;
    reader: TrailReader;
    append: (draft: EntryDraft) => Promise<number>;
  },
): Promise<Cut | undefined> {
  const { connection, keys, reader, append } = given;
  const [oldest, last] = await Promise.all([reader.at(0), reader.lastOlder(beforeMs)]);
  if (oldest?.place === undefined || last?.place === undefined) return undefined;
  const count = last.place - oldest.place + 1;
  const facts: CheckpointFacts & { before: string } = {
    upTo: last.place,
    link: last.link,
    count,
    before: new Date(beforeMs).toISOString(),
  };
  await append({ by, what: CHECKPOINT, from, facts });
  await connection.xtrim(keys.audit, 'MINID', `${last.place + 1}-0`);
  return { upTo: last.place, count };
}

/**
 * Checks the trail in Redis from its beginning, or from a number on, in pages, against its own head and the last link that this host
 * remembers. Entries that are written during the check may or may not be part of it.
 *
 * @throws the signal's reason when it is aborted
 */
async function verifyTrail(given: {
  connection: RedisConnection;
  keys: AuditKeys;
  chain: Chain;
  last: LastLinkMemory;
  reader: TrailReader;
  from: number | undefined;
  signal: AbortSignal | undefined;
}): Promise<StoredTrailCheck> {
  const { connection, keys, chain, last, reader, from, signal } = given;
  for (let readings = 1; ; readings += 1) {
    // This host's last link and the head are read before the entries. So entries that are written meanwhile cannot look as if they were
    // missing.
    const known = await last.read();
    const [number, link] = await connection.hmget(keys.auditHead, 'number', 'link');
    const remembered: Remembered[] = [
      ...(known ? [{ ...known, by: 'the data folder of this host', mustReach: true }] : []),
      ...(number && link ? [{ number: Number(number), link, by: 'the head in Redis', mustReach: true }] : []),
    ];
    const verifier = makeVerifier({ chain, from, remembered });
    const begins = (await reader.at(0))?.place;
    for await (const page of reader.pages(from)) {
      signal?.throwIfAborted();
      for (const entry of page) verifier.add(entry);
    }
    const check = verifier.end();
    const wasCut = (await reader.at(0))?.place !== begins;
    if (check.broken && wasCut && readings < MOST_READINGS) continue;
    return { ...check, remembered: known?.number };
  }
}

/**
 * Most readings of the trail by one check. A reading that finds a fault is repeated if old entries were deleted meanwhile, which happens
 * about once a day.
 */
const MOST_READINGS = 3;

/** The result of the check of the trail in Redis, and the number of the last entry that this host remembers, if any. */
type StoredTrailCheck = TrailCheck & { remembered: number | undefined };

import type { LastLinkMemory } from '../files/last-link.ts';
import type { RedisConnection } from '../lua-script.ts';
import type { AuditKeys } from './append.ts';
import type { Chain } from './chain.ts';
import type { TrailReader } from './read-trail.ts';
import { makeVerifier, type Remembered, type TrailCheck } from './verify.ts';

/** Older entries may be cut off while the trail is read, which is then read again: that is done once a day. */
const MOST_READINGS = 3;

/** What the check of the trail in Redis found, and the number that this host remembers, if it does. */
export type StoredTrailCheck = TrailCheck & { remembered: number | undefined };

/**
 * Checks the trail in Redis from its beginning, or from a number on, a page at a time, against its own head and against the last
 * link that this host remembers. What is written meanwhile is checked as far as it is met.
 *
 * @throws the signal's reason when it is aborted
 */
export async function verifyTrail({
  connection,
  keys,
  chain,
  last,
  reader,
  from,
  signal,
}: {
  connection: RedisConnection;
  keys: AuditKeys;
  chain: Chain;
  last: LastLinkMemory;
  reader: TrailReader;
  from: number | undefined;
  signal: AbortSignal | undefined;
}): Promise<StoredTrailCheck> {
  for (let readings = 1; ; readings += 1) {
    // What is remembered was in Redis before, so that it is asked first; both may only be behind what is read.
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

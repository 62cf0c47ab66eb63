import type { LastLinkMemory } from '../files/last-link.ts';
import type { RedisConnection } from '../lua-script.ts';
import type { AuditKeys } from './append.ts';
import type { Chain } from './chain.ts';
import type { TrailReader } from './read-trail.ts';
import { makeVerifier, type Remembered, type TrailCheck } from './verify.ts';

/** Attempts to read the trail: it is read again if old entries were deleted in the meantime, which happens once a day. */
const MOST_READINGS = 3;

/** What the check of the trail in Redis found, and the number that this host remembers, if it does. */
type StoredTrailCheck = TrailCheck & { remembered: number | undefined };

/**
 * Checks the trail in Redis from its beginning, or from a number on, in pages, against its own head and the last link that this host
 * remembers. Entries written in the meantime are checked if they are met.
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
    // Read first, since a remembered entry is already in Redis; so both can only be behind what is read.
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

import { createHmac, randomBytes } from 'node:crypto';
import { type CallKind, KINDS } from '../call-kind.ts';

export type Ids = ReturnType<typeof makeIds>;

/** A document's prefix is not shown; this one is the stand-in's own choice. */
const prefixOf = (kind: CallKind): string => KINDS[kind].prefix || 'doc_';

/** 80 random bits: no two ids alike, also among stand-ins that know nothing of each other. */
const RANDOM_BYTES = 10;

/** 48 bits of checksum: no mistyped or invented id passes by accident. */
const CHECKSUM_HEX = 12;

/**
 * Ids that need no storage to be known again: random hex, then a short checksum keyed with `secret`. Every stand-in
 * with the same secret knows the ids of every other, also those made before it was started.
 */
export function makeIds({ secret }: { secret: string }) {
  const checksum = (text: string) => createHmac('sha256', secret).update(text).digest('hex').slice(0, CHECKSUM_HEX);
  return {
    make(kind: CallKind): string {
      const body = prefixOf(kind) + randomBytes(RANDOM_BYTES).toString('hex');
      return body + checksum(body);
    },
    knows(kind: CallKind, id: string): boolean {
      const body = id.slice(0, -CHECKSUM_HEX);
      return body.startsWith(prefixOf(kind)) && id.slice(-CHECKSUM_HEX) === checksum(body);
    },
  };
}

import { createHmac, randomBytes } from 'node:crypto';
import { type CallKind, KINDS } from '../call-kind.ts';

export type Ids = ReturnType<typeof makeIds>;

/** The documents' prefix is not documented; `doc_` is the stand-in's own choice. */
const prefixOf = (kind: CallKind): string => KINDS[kind].prefix || 'doc_';

/** 80 random bits: ids are unique, even among independent stand-ins. */
const RANDOM_BYTES = 10;

/** 48 bits of checksum: a mistyped or invented id is never accepted by chance. */
const CHECKSUM_HEX = 12;

/**
 * Ids that can be verified without storage: random hex, then a checksum keyed with `secret`. All stand-ins with the
 * same secret accept each other's ids, also those made before a restart.
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

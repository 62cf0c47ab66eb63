import { createHash } from 'node:crypto';
import type { RowDocument } from '../../src/ledger/schema/row.ts';

/** A document's key in the ledger. Two documents are the same if content and file name are. The purpose is always the same. */
export function documentKey({ sha256, name }: Pick<RowDocument, 'sha256' | 'name'>): string {
  return createHash('sha256')
    .update(JSON.stringify([sha256, name]))
    .digest('base64url')
    .slice(0, 16);
}

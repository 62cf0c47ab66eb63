import { createHash } from 'node:crypto';
import type { RowDocument } from '../../src/ledger/schema/row.ts';

/** What the ledger calls a document by: two are the same when content and file name are; there is one purpose only. */
export function documentKey({ sha256, name }: Pick<RowDocument, 'sha256' | 'name'>): string {
  return createHash('sha256')
    .update(JSON.stringify([sha256, name]))
    .digest('base64url')
    .slice(0, 16);
}

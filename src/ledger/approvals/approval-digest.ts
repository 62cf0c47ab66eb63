import { createHash } from 'node:crypto';
import type { Approval } from './approval.ts';

/** What an answer is bound to: an approval as somebody looked at it. */
export type Bound = Pick<Approval, 'id' | 'portfolio' | 'kind' | 'file' | 'rows' | 'sum' | 'redone'> & {
  supplier: string;
};

/**
 * Names an approval with all that it binds: which it is, the file to its last byte, how that is read, for which supplier, how many
 * rows there are, what they ask for, and who said no to any of it before. Once all rows are there they only become fewer, so whatever
 * changes one of them changes this. 43 letters, base64url of SHA-256.
 */
export function approvalDigest({ id, portfolio, kind, file, supplier, rows, sum, redone }: Bound): string {
  const bound = [id, portfolio, kind, file?.sha256 ?? '', file?.reading ?? '', supplier, rows, sum, redone];
  return createHash('sha256').update(JSON.stringify(bound)).digest('base64url');
}

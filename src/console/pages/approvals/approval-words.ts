import { counted } from '../../../counted.ts';
import type { Approval, ApprovalKind } from '../../../ledger/schema/approval.ts';
import { moneyText } from '../../../money-text.ts';

/** What a yes leads to. */
export const KIND_WORDS: Readonly<Record<ApprovalKind, string>> = {
  import: 'to be requested',
  retry: 'to be sent again',
  answer: 'held, and answered',
};

export const STANDING_WORDS: Readonly<Record<Approval['standing'], string>> = {
  open: 'still being imported',
  waiting: 'waits',
  granted: 'approved',
  declined: 'declined',
  void: 'nothing is left of it',
};

/** `120 rows, 1,250,000.50` */
export function sizeWords({ rows, sum }: Pick<Approval, 'rows' | 'sum'>): string {
  return `${counted(rows, 'row')}, ${moneyText(sum)}`;
}

/** What somebody says of a held call. */
export function saidWords(said: string | undefined): string {
  if (said === undefined) return '–';
  return said === 'resend' ? 'not made: send it again' : `made: ${said}`;
}

/** Enough of a digest for two people to compare over the telephone. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 10);
}

/** `alice, bob and 3 others`; nothing where nobody is known. */
export function peopleWords(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most);
  const others = names.length - shown.length;
  if (others > 0) return `${shown.join(', ')} and ${counted(others, 'other')}`;
  const [last = '', ...before] = shown.toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
}

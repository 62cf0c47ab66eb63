import type { FoundItem } from '../../src/ledger/nightly/checks.ts';

/** A refused row as a check finds it, with whatever is another. */
export function foundItem(changes: Partial<FoundItem> = {}): FoundItem {
  return {
    check: 'refused',
    portfolio: 'q4',
    key: 'A'.repeat(16),
    line: 7,
    name: 'Muster GmbH',
    requested: '1000.50',
    says: 'refused with status 422 at the limit',
    sinceMs: 1_763_802_000_000,
    isMended: false,
    command: 'retry q4 --cause k3f9',
    ...changes,
  };
}

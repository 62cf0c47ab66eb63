import { expect, test } from 'vitest';
import { openLedger } from '../../support/ledger.ts';

const HALF = 'half \ud83d.csv';

test('an approval is begun for a file whose name has half a character', async () => {
  const { approvals } = openLedger();
  const file = { id: 'f'.repeat(64), fileName: HALF, reading: '{}' };
  const id = await approvals.beginImport('q4', { file, number: '1', authors: ['eva'] });
  expect((await approvals.read(id))?.standing).toBe('open');
});

test('an approval is begun by somebody whose name has half a character', async () => {
  const { approvals } = openLedger();
  const id = await approvals.askFor({ portfolio: 'q4', kind: 'retry', by: 'eva \ud83d' });
  expect((await approvals.read(id))?.standing).toBe('open');
});

import { expect, test } from 'vitest';
import { healthPageFunctions } from '../../../scripts/console/health.ts';
import type { Context } from '../../../src/context.ts';

test('the page names the version that runs, also after another was installed', async () => {
  let installed = '0.2.0 (commit 4f11aa1d4, ledger format 5)';
  const { parts } = healthPageFunctions({ fleet: {} } as Context, () => installed);
  installed = '0.3.0 (commit 000000000, ledger format 6)';
  const facts = await parts.find(({ title }) => String(title) === 'Versions')?.ask();
  expect(facts?.[0]).toMatchObject({ what: '0.2.0 (commit 4f11aa1d4, ledger format 5)' });
});

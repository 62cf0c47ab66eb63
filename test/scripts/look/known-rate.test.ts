import { expect, test } from 'vitest';
import { knownRate } from '../../../scripts/look/look.ts';
import { openWorkplace } from '../../support/workplace.ts';

test('the expected rate is known once calls were accepted, also before the service limited any', async () => {
  const { context, import: importLines, work, settled } = await openWorkplace();
  expect(await knownRate(context)).toBeUndefined();
  await importLines(['name,requested_limit', ...Array.from({ length: 30 }, (_, n) => `Buyer ${n},${n + 1}`)]);
  await work();
  await settled();
  expect(await knownRate(context)).toBeGreaterThan(0.1);
});

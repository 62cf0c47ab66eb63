import { expect, test } from 'vitest';
import { makeApprovalCurrency } from '../../../jobs/approvals/look-at-approval.ts';
import { openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,requested_limit';

test('a retry has a currency only if all files of its portfolio name it', async () => {
  const { context, import: bring } = await openWorkplace();
  const currency = () => makeApprovalCurrency(context)({ portfolio: 'q4', importId: undefined });
  await bring([`${HEADER},currency`, 'A GmbH,DE,HRB 1,5,EUR']);
  expect(await currency()).toBe('EUR');
  await bring([HEADER, 'B Inc,US,HRB 2,7']);
  expect(await currency()).toBeUndefined();
});

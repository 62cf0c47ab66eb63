import { expect, test } from 'vitest';
import { stepAfter } from '../../../src/ledger/schema/row.ts';
import { makeRequest } from '../../support/ledger.ts';

test.each([
  [{}, undefined, 'company'],
  [{ companyId: 'company_1' }, undefined, 'limit'],
  [{ companyId: 'company_1', documents: [{}] }, undefined, 'documents'],
  [{}, 'company', 'limit'],
  [{ documents: [{}] }, 'company', 'documents'],
  [{ documents: [{}] }, 'documents', 'limit'],
] as const)('a request with %o has after the step %s the step %s', (changes, step, next) => {
  expect(stepAfter(makeRequest(changes as object), step)).toBe(next);
});

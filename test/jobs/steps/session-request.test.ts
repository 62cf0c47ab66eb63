import { expect, test } from 'vitest';
import { sessionBody } from '../../../jobs/steps/make-sessions.ts';
import { sessionPlace } from '../../support/session-file.ts';

const PLACES = ['city', 'street', 'website', 'name', 'requested_limit'];
const BODY = Object.fromEntries(PLACES.map((name) => [name, sessionPlace(name)]));
const ADDRESS = { country_code: 'DE', city: 'Berlin', street: 'Weg 1' };
const COMPANY = { name: 'A GmbH', website: 'https://a.example', address: ADDRESS };
const LIMIT = { requested_limit: '5000', contact: { email: 'a@a.example' } };
const OTHER = 'said by the file of something else';

const NO_SUPPLIER = { supplier: undefined, supplierAwaits: false };

function bodyOf(company: object, limit: object) {
  const request = { name: 'A GmbH', buyer: 'b', documents: [], company, limit } as never;
  const row = { request, companyId: 'company_1', limitId: 'bl_1' };
  return sessionBody({ body: BODY, returnUrl: '' }, row, NO_SUPPLIER);
}

test.each([
  ['buyer_limit.city', COMPANY, { ...LIMIT, city: OTHER }],
  ['buyer_limit.contact.city', COMPANY, { ...LIMIT, contact: { ...LIMIT.contact, city: OTHER } }],
  ['buyer_limit.contact.requested_limit', COMPANY, { ...LIMIT, contact: { requested_limit: OTHER } }],
  ['buyer_limit.contact.street:number', COMPANY, { ...LIMIT, contact: { street: 7 } }],
  ['company.address.name', { ...COMPANY, address: { ...ADDRESS, name: OTHER } }, LIMIT],
  ['company.address.website', { ...COMPANY, address: { ...ADDRESS, website: OTHER } }, LIMIT],
])('an extra field %s does not replace a field of the row in a session', (_path, company, limit) => {
  expect(bodyOf(company, limit)).toEqual(bodyOf(COMPANY, LIMIT));
});

// Promise: session-values-are-text
test('a place without a value in the line stays empty, even if an extra field has its name', () => {
  const { website: _none, ...company } = COMPANY;
  expect(bodyOf(company, { ...LIMIT, website: OTHER })).toMatchObject({ body: { website: '', city: 'Berlin' } });
});

test('a session leaves out a supplier that waits for approval', () => {
  const session = { body: { supplier: sessionPlace('supplier') }, returnUrl: '' };
  const request = { name: 'A GmbH', buyer: 'b', documents: [], limit: { requested_limit: '5000' } } as never;
  const row = { request, companyId: 'company_1', limitId: 'bl_1' };
  const supplier = { id: 'company_s' } as never;
  expect(sessionBody(session, row, { supplier, supplierAwaits: true })).toEqual({ lacks: ['supplier'] });
  expect(sessionBody(session, row, { supplier, supplierAwaits: false })).toEqual({ body: { supplier: 'company_s' } });
});

import { expect, test } from 'vitest';
import { sessionBody } from '../../../jobs/steps/session-request.ts';

const PLACES = ['city', 'street', 'website', 'name', 'requested_limit'];
const BODY = Object.fromEntries(PLACES.map((name) => [name, `\${${name}}`]));
const ADDRESS = { country_code: 'DE', city: 'Berlin', street: 'Weg 1' };
const COMPANY = { name: 'A GmbH', website: 'https://a.example', address: ADDRESS };
const LIMIT = { requested_limit: '5000', contact: { email: 'a@a.example' } };
const OTHER = 'said by the file of something else';

function bodyOf(company: object, limit: object) {
  const request = { name: 'A GmbH', buyer: 'b', documents: [], company, limit } as never;
  const row = { request, companyId: 'company_1', limitId: 'bl_1' };
  return sessionBody({ body: BODY, returnUrl: '' }, row, undefined);
}

test.each([
  ['buyer_limit.city', COMPANY, { ...LIMIT, city: OTHER }],
  ['buyer_limit.contact.city', COMPANY, { ...LIMIT, contact: { ...LIMIT.contact, city: OTHER } }],
  ['buyer_limit.contact.requested_limit', COMPANY, { ...LIMIT, contact: { requested_limit: OTHER } }],
  ['buyer_limit.contact.street:number', COMPANY, { ...LIMIT, contact: { street: 7 } }],
  ['company.address.name', { ...COMPANY, address: { ...ADDRESS, name: OTHER } }, LIMIT],
  ['company.address.website', { ...COMPANY, address: { ...ADDRESS, website: OTHER } }, LIMIT],
])('an extra field %s takes no place of a field of the row in a session', (_path, company, limit) => {
  expect(bodyOf(company, limit)).toEqual(bodyOf(COMPANY, LIMIT));
});

test('a place of which the line has no value stays empty, whatever extra field bears its name', () => {
  const { website: _none, ...company } = COMPANY;
  expect(bodyOf(company, { ...LIMIT, website: OTHER })).toMatchObject({ body: { website: '', city: 'Berlin' } });
});

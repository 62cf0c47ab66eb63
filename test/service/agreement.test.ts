import { expect, test } from 'vitest';
import { differencesOf, differenceWords } from '../../src/service/agreement.ts';

const SENT = {
  company: 'company_1',
  company_registration_number: 'HRB 1',
  requested_limit: 3000,
  contact: { first_name: 'Anna', email: 'anna@buyer.example' },
  supporting_documents: ['document_1'],
};

const compared = (answer: string, kind: 'limit' | 'company' = 'limit', sent: Record<string, unknown> = SENT) => {
  const answered = JSON.parse(answer) as Record<string, unknown>;
  const digits = (name: string) => new RegExp(`"${name}":([-+.\\deE]+)`).exec(answer)?.[1];
  return differencesOf(kind, sent, answered, digits).map(({ field, isOthers }) => `${field}${isOthers ? '!' : ''}`);
};

test.each<[string, string, string[]]>([
  ['an id alone', '{"id":"bl_1"}', []],
  ['what was sent', JSON.stringify(SENT), []],
  ['null for what was sent', '{"company":null,"requested_limit":null,"contact":null}', []],
  ['the amount as text', '{"requested_limit":"3000.00"}', []],
  ['the amount in another spelling', '{"requested_limit":3e3}', []],
  ['documents as a list object', '{"supporting_documents":{"object":"list","data":[]}}', []],
  ['another company', '{"company":"company_2"}', ['company!']],
  ['another amount', '{"requested_limit":1}', ['requested_limit!']],
  ['another amount as text', '{"requested_limit":"3000.01"}', ['requested_limit!']],
  ['an amount that is no number', '{"requested_limit":"three thousand"}', ['requested_limit!']],
  ['an amount that is a list', '{"requested_limit":[3000]}', ['requested_limit!']],
  ['a company that is an object', '{"company":{"id":"company_1"}}', ['company!']],
  ['another register number', '{"company_registration_number":"HRB 2"}', ['company_registration_number']],
  ['another contact', '{"contact":{"first_name":"Anna","email":"x@buyer.example"}}', ['contact.email']],
  ['a contact in another form', '{"contact":"contact_1"}', []],
  [
    'all of it',
    '{"company":"x","requested_limit":2,"contact":{"first_name":""}}',
    ['company!', 'requested_limit!', 'contact.first_name'],
  ],
])('a limit answered with %s', (_name, answer, fields) => {
  expect(compared(answer)).toEqual(fields);
});

test('a company that the service knows under another name is a difference, and its own all the same', () => {
  const sent = { name: 'Acme GmbH', address: { country_code: 'DE', state: null } };
  expect(compared('{"name":"ACME","address":{"country_code":"DE","state":"BY"}}', 'company', sent)).toEqual([
    'name',
    'address.state',
  ]);
});

test('words say both values, and of a person the field alone', () => {
  const of = (field: string, answered: string, sent: string) => ({ field, answered, sent, isOthers: false });
  expect(differenceWords([of('requested_limit', '1', '3000'), of('contact.email', 'x@y.example', 'a@b.example')])).toBe(
    'its requested_limit is 1, where 3000 was sent; its contact.email differs from what was sent',
  );
  expect(differenceWords([of('company', 'x'.repeat(100), 'y')], 40)).toHaveLength(40);
});

import { describe, expect, test } from 'vitest';
import {
  addExtras,
  type ExtraField,
  extraValue,
  makeExtraClashes,
  readExtraField,
  readerOfExtra,
} from '../../../src/portfolio/columns/extra-fields.ts';

const by = { conventions: { decimal: ',', dates: null }, today: '2026-11-21' } as const;

// Promise: mapped-path-sent-exactly
test.each([
  ['company.address.postal_code', 'company.address.postal_code'],
  ['company.address.postal_code:text', 'company.address.postal_code'],
  ['buyer_limit.terms.days:number', 'buyer_limit.terms.days:number'],
  ['buyer_limit.is_insured:yesno', 'buyer_limit.is_insured:yesno'],
  // This field is shown in answers only; whether it can be sent is not shown.
  ['buyer_limit.contact.phone', 'buyer_limit.contact.phone'],
  ['company.toString', 'company.toString'],
  ['company.post-code_2.b.c.d.e.f.g', 'company.post-code_2.b.c.d.e.f.g'],
])('%s is accepted as a path', (text, field) => {
  expect(readExtraField(text)).toEqual({ field });
});

// Promises: shown-fields-not-by-path, mapped-path-sent-exactly
test.each([
  ['company.id', /a column of its own: write company_id in place of the path/],
  ['company.name', /write name in place/],
  ['company.Name', /write name in place/],
  ['company.name.first', /lies in company\.name, which the service's document shows as one value/],
  [
    'company.address',
    /is a group of fields, and not a field itself: write one of its columns, country_code, city, street, state; or/,
  ],
  [
    'company',
    /write one of its columns, name, country_code, .*, website; or the path .* such as company\.address\.postal_code/,
  ],
  [
    'buyer_limit',
    /write one of its columns, business_information_source, .*, requested_limit, .*contact_email; or the path/,
  ],
  ['Contact', /^Contact is a group of fields, .*: .* contact_first_name, .* such as buyer_limit\.contact\.phone\.$/],
  ['company:number', /^company is a group of fields/],
  ['company.address.city', /write city in place/],
  ['company.Address.postal_code', /differs in capital letters from company\.address/],
  ['buyer_limit.CONTACT.phone', /differs in capital letters from buyer_limit\.contact/],
  ['company.contacts.phone', /lies in company\.contacts/],
  ['company.buyer_limit.product', /document shows/],
  ['buyer_limit.company', /write company_id/],
  ['buyer_limit.requested_limit:number', /write requested_limit/],
  ['buyer_limit.supporting_documents.x', /document shows/],
  ['buyer_limit.contact', /is a group of fields/],
  ['buyer_limit.contact.email', /write contact_email/],
  ['buyer_limit.status', /is given by the service or by Limitline: no column can be sent there/],
  ['company.__proto__', /has the name __proto__, which no field can have: write another name/],
  ['company.__proto__.x', /has the name __proto__/],
  ['company.x.constructor', /has the name constructor/],
  ['buyer_limit.prototype.x', /has the name prototype/],
  ['company.', /no name before or behind a point: a name has/],
  ['company..x', /no name before or behind a point/],
  ['company.0', /has "0", which is no name: .* begins with a letter or _; write it like company\.address/],
  ['company.a b', /has "a b", which is no name/],
  ['company.ü', /has "ü", which is no name/],
  [`company.${'x'.repeat(65)}`, /which is no name/],
  ['company.a.b.c.d.e.f.g.h', /has 9 names/],
  [`company.${'x.'.repeat(9)}x`, /has 11 names, and a path has at most 8: write fewer/],
  ['company.x:date', /has the type date, and the types are text, number and yesno: write it like/],
  ['company.x:toString', /has the type toString/],
  ['company.x:text:text', /has the type text:text/],
  ['address.postal_code', /begins with neither company\. nor buyer_limit\.: write it like/],
  ['document.purpose', /begins with neither/],
])('%s is refused as a path', (text, fault) => {
  expect(readExtraField(text)).toEqual({ fault: expect.stringMatching(fault) });
});

describe('a cell', () => {
  test.each<[ExtraField, string, string | number | boolean]>([
    ['company.x', '01234', '01234'],
    ['company.x', '+49 30 1', '+49 30 1'],
    ['company.x', '0', '0'],
    ['company.x', 'x', 'x'],
    ['company.x', 'open', 'open'],
    ['company.x:number', '-12.50', -12.5],
    ['company.x:number', '12,5', 12.5],
    ['company.x:number', '0,00', 0],
    ['company.x:number', '1.234,56', 1234.56],
    ['company.x:yesno', 'Ja', true],
    ['company.x:yesno', 'no', false],
  ])('of %s: %s is sent as %j', (field, text, value) => {
    const reading = readerOfExtra(field)?.(text, by) ?? { value: text };
    expect(extraValue(field, 'value' in reading ? reading.value : 'none')).toBe(value);
  });

  // A comma in the column of amounts does not decide how this column is read.
  test.each<[ExtraField, string]>([
    ['company.x', '4.93012E+10'],
    ['company.x', '4,93012E+10'],
    ['company.x:number', '1.234'],
    ['company.x:number', 'twelve'],
    ['company.x:number', '--1'],
    ['company.x:number', '01234'],
    ['company.x:number', '12345678901234567890'],
    ['company.x:yesno', 'perhaps'],
  ])('of %s: %s is a problem', (field, text) => {
    expect(readerOfExtra(field)?.(text, by)).toEqual({ problem: expect.any(String) });
  });

  test.each(['-', '–', '########', '...', '?', 'n/a', 'k.A.'])('of text: %s counts as empty, with a note', (text) => {
    expect(readerOfExtra('company.x')?.(text, by)).toEqual({ value: '', change: expect.any(String) });
  });
});

test('extra fields are added to their request body beside its own fields', () => {
  const company = { name: 'A', address: { city: 'Ulm', state: null } };
  const extras = [
    { field: 'company.address.postal_code', value: '89073' },
    { field: 'company.toString.x:number', value: 1 },
    { field: 'company.toString.y:yesno', value: false },
    { field: 'buyer_limit.contact.phone', value: '+49 1' },
  ] as const;
  addExtras(company, 'company', extras);
  expect(JSON.stringify(company)).toBe(
    '{"name":"A","address":{"city":"Ulm","state":null,"postal_code":"89073"},"toString":{"x":1,"y":false}}',
  );
  const again = { name: 'A', address: { city: 'Ulm', state: null } };
  addExtras(again, 'company', extras.toReversed());
  expect(JSON.stringify(again)).toBe(JSON.stringify(company));
  const limit = { requested_limit: '1' };
  addExtras(limit, 'buyer_limit', extras);
  expect(limit).toEqual({ requested_limit: '1', contact: { phone: '+49 1' } });
});

test.each<[ExtraField[], (ExtraField | undefined)[]]>([
  [
    ['company.a', 'company.b', 'company.c.d', 'company.c.e'],
    [undefined, undefined, undefined, undefined],
  ],
  [
    ['company.a', 'company.A:number'],
    [undefined, 'company.a'],
  ],
  [
    ['company.a', 'company.a.b'],
    [undefined, 'company.a'],
  ],
  [
    ['company.a.b.c', 'company.a'],
    [undefined, 'company.a.b.c'],
  ],
  [
    ['company.tax.id', 'company.Tax.no', 'company.tax.office'],
    [undefined, 'company.tax.id', 'company.Tax.no'],
  ],
])('the paths %j conflict with %j', (fields, clashes) => {
  expect(fields.map(makeExtraClashes())).toEqual(clashes);
});

import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { MASK, masked } from '../../../src/console/privacy/mask.ts';

const REQUEST = {
  name: 'Müller GmbH',
  buyer: 'b1',
  company: { name: 'Müller GmbH', address: { city: 'Ulm', country_code: 'DE', street: 'Am Weg 3', state: null } },
  documents: [],
  limit: {
    requested_limit: '1000',
    company_registration_number: 'HRB 1',
    contact: { first_name: 'Änne', last_name: 'Müller', email: 'anne@m.example' },
  },
};

test('contacts and streets are masked by their field names, and fields that identify a row stay', () => {
  const { name, company, limit } = masked(REQUEST);
  expect(name).toBe('Müller GmbH');
  expect(company).toEqual({
    name: 'Müller GmbH',
    address: { city: 'Ulm', country_code: 'DE', street: MASK, state: null },
  });
  expect(limit).toEqual({
    requested_limit: '1000',
    company_registration_number: 'HRB 1',
    contact: { first_name: MASK, last_name: MASK, email: MASK },
  });
});

test('fields of a request that a person mapped to a path are masked', () => {
  const { company, limit } = REQUEST;
  const address = { ...company.address, district: 'West' };
  const request = { company: { ...company, address, owner: 'Hans' }, limit: { ...limit, terms: { days: 30 } } };
  expect(masked(request)).toMatchObject({
    company: { name: 'Müller GmbH', owner: MASK, address: { city: 'Ulm', district: MASK } },
    limit: { requested_limit: '1000', terms: { days: MASK } },
  });
});

describe('an answer that repeats the contact of its row', () => {
  const seen = (body: string) => masked({ request: REQUEST, problem: { body } }).problem.body;

  test.each([
    ['Änne Müller is not known', `${MASK} ${MASK} is not known`],
    ['ÄNNE: write to anne@m.example', `${MASK}: write to ${MASK}`],
    ['{"first_name":"\\u00c4nne"}', `{"first_name":"${MASK}"}`],
    ['said \\u00c4nne', `said ${MASK}`],
    ['/contacts/%C3%84nne', `/contacts/${MASK}`],
    ['call +49 (731) 12 34-56 now', `call ${MASK} now`],
    ['lives Am  Weg 3.', `lives ${MASK}.`],
    ['anne (at) home, anne(at)m.example', `anne (at) home, ${MASK}`],
  ])('the contact is masked in %j', (body, expected) => expect(seen(body)).toBe(expected));

  test.each(['requested_limit is above 9000', 'Müllerei is not Müllerland', 'code 0731123456', 'Design@Work'])(
    'text without a contact stays unchanged: %j',
    (body) => expect(seen(body)).toBe(body),
  );
});

test('a sent body is masked by its fields, also when its end is cut off', () => {
  const sent = JSON.stringify({ name: 'A GmbH', contact: { first_name: 'Anna', last_name: 'B "C" D', phone: 77 } });
  expect(masked({ sent, heard: 'Anna?' })).toEqual({
    sent: `{"name":"A GmbH","contact":{"first_name":"${MASK}","last_name":"${MASK}","phone":"${MASK}"}}`,
    heard: `${MASK}?`,
  });
  const cut = sent.slice(0, sent.indexOf('nna"'));
  expect(masked({ sent: cut }).sent).toBe(`{"name":"A GmbH","contact":{"first_name":"${MASK}"`);
});

// Promise: answers-hidden-from-viewers
test.each([
  { contact: { name: 'Maxine Muster', email: 'm@x.example' } },
  { contact: { first_name: 'Maxine', phones: ['0171 555 1234'] } },
  { contacts: ['Maxine Muster'] },
  { Betreuer: 'Maxine Muster' },
])('the answer to another request is masked, and of its other fields only the names are shown: %j', (more) => {
  const body = JSON.stringify({ id: 'bl_1', ...more });
  const shown = masked({ problem: { message: 'held', sent: '{}', body }, record: { besides: body } });
  expect(shown.problem).toEqual({ message: 'held', sent: '{}', body: MASK });
  expect(shown.record.besides).toBe(`id, ${Object.keys(more)[0]}`);
  expect(masked({ besides: body.slice(0, -1) }).besides).toBe(MASK);
});

test('a field named contact is masked in other spellings, too', () => {
  const body = '{"contact person":"Maxine Muster","contactPerson":"Maxine","n":1}';
  expect(masked({ body }).body).toBe(`{"contact person":"${MASK}","contactPerson":"${MASK}","n":1}`);
});

test('a value with characters of a regular expression is masked like any other', () => {
  for (const last of ['O.*Neill', 'a|b', 'x(y', '[z]', 'c$d^', 'back\\slash', '{1,9}']) {
    const given = { contact: { last_name: last }, message: `said ${last}, and Neill abxyz` };
    expect(masked(given).message).toBe(`said ${MASK}, and Neill abxyz`);
  }
});

test('cells of company columns stay, and cells of contacts and unknown columns are masked', () => {
  const cell = (column: string, meaning: string | null, text: string) => ({ column, meaning, cell: text });
  const cells = [
    cell('Firma', 'name', 'A GmbH'),
    cell('Mail', 'contact_email', 'a@b.example'),
    cell('Straße', 'street', 'Weg 1'),
    cell('Betreuer', null, 'Herr Muster'),
    cell('Web', 'website', 'https://a.example'),
    cell('', 'something new', 'x'),
    cell('leer', null, ' '),
  ];
  expect(masked({ is: 'read', cells }).cells.map((one) => one.cell)).toEqual([
    'A GmbH',
    MASK,
    MASK,
    MASK,
    'https://a.example',
    MASK,
    ' ',
  ]);
});

test('an earlier answer of a corrected row is masked whole unless its former contact is known in full', () => {
  const entries = (before: string) =>
    masked([
      { is: 'refused', body: 'Anna is unknown', atMs: 1 },
      { is: 'mended', before, import: '2', atMs: 2 },
    ])[0];
  expect(entries('{"limit":{"contact":{"first_name":"Anna"}}}')).toEqual({
    is: 'refused',
    body: `${MASK} is unknown`,
    atMs: 1,
  });
  expect(entries('{"name":"A GmbH","docum')).toEqual({ is: 'refused', body: MASK, atMs: 1 });
});

test('a status is masked in the same way in rows and in counts', () => {
  const status = 'ask anne@m.example';
  const counted = { statuses: { [status]: 2 }, meanings: new Map([[status, 'review']]), record: { status } };
  expect(masked(counted)).toEqual({
    statuses: { [`ask ${MASK}`]: 2 },
    meanings: new Map([[`ask ${MASK}`, 'review']]),
    record: { status: `ask ${MASK}` },
  });
});

test('the name of a user in "by" is not masked', () => {
  const said = { by: 'anna@ours.example (sso 1a2b3c)', words: 'ask anna@ours.example' };
  expect(masked(said)).toEqual({ ...said, words: `ask ${MASK}` });
});

test('maps, sets, dates, numbers and empty values keep their form, and the input is not changed', () => {
  const given = {
    map: new Map([['1', { email: 'a@b.example' }]]),
    set: new Set(['c@d.example']),
    at: new Date(0),
    no: null,
  };
  expect(masked({ ...given, count: 3, none: undefined })).toEqual({
    map: new Map([['1', { email: MASK }]]),
    set: new Set([MASK]),
    at: new Date(0),
    no: null,
    count: 3,
    none: undefined,
  });
  expect(given.map.get('1')).toEqual({ email: 'a@b.example' });
});

test.each([
  ['a stream', { content: Readable.from(['x']) }],
  ['a function', { content: () => 'x' }],
  ['bytes', { content: Buffer.from('x') }],
])('masking %s throws', (_what, given) => {
  expect(() => masked(given)).toThrow('cannot be masked');
});

test('fields that a person mapped to a path are masked in sent calls, too', () => {
  const sent = (mask: unknown) =>
    JSON.stringify({ requested_limit: 5, terms: { name: mask, insured: mask }, contact: { phone: mask } }, null, 2);
  const call = { kind: 'limit', sent: sent('Hans Huber').replace('"insured": "Hans Huber"', '"insured": true') };
  expect(masked(call).sent).toBe(sent(MASK));
  // The problem of a row names its step. A long body is cut off, and a cut body is masked whole.
  expect(masked({ step: 'limit', message: '', sent: call.sent }).sent).toBe(sent(MASK));
  expect(masked({ step: 'company', message: '', sent: '{"name":"A","phone":"1' })).toMatchObject({ sent: MASK });
  expect(masked({ step: 'documents', message: '', sent: 'a.pdf, SHA-256 7' }).sent).toBe('a.pdf, SHA-256 7');
  const mended = (insured: string) => JSON.stringify({ name: 'A', limit: { requested_limit: '5', insured } });
  const entry = { is: 'mended', import: '2', before: mended('Hans Huber') };
  expect(masked(entry)).toEqual({ ...entry, before: mended(MASK) });
  expect(masked({ ...entry, before: entry.before.slice(0, -9) }).before).toBe(MASK);
});

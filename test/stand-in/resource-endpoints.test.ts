import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { companyResourceSchema, limitResourceSchema } from '../../src/service/schemas.ts';
import { makeIds } from '../../src/stand-in/resource-endpoints.ts';
import { documentBody, openStandIn } from '../support/service-caller.ts';

const company = {
  name: 'Bakery Ltd',
  address: { country_code: 'GB', city: 'Leeds', street: '1 Mill Lane', state: null },
  website: 'https://bakery.example',
};
const limit = {
  business_information_source: 'dnb',
  business_information_id: '123456789',
  company_registration_number: '01234567',
  requested_limit: 12500.5,
  contact: { first_name: 'Ann', last_name: 'Lee', email: 'ann@bakery.example' },
};

test('a company is answered in the documented form', async () => {
  const { standIn, caller } = await openStandIn();
  const { status, headers, json } = await caller.post('company', company);
  expect(status).toBe(201);
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(companyResourceSchema.parse(json())).toEqual({
    ...company,
    id: expect.stringMatching(/^company_/),
    object: 'company',
    buyer_limit: null,
    contacts: { object: 'list', data: [] },
    created: expect.any(String),
  });
  expect(standIn.things('company')).toEqual([{ id: json().id, what: 'Bakery Ltd / GB', body: company }]);
});

test('a limit is answered in the documented form, with its documents', async () => {
  const { standIn, caller } = await openStandIn();
  const buyer = await caller.company();
  const paper = (await caller.post('document', documentBody('profit'))).json().id;
  const sent = { ...limit, company: buyer, supporting_documents: [paper] };
  const { status, json } = await caller.post('limit', sent);
  expect(status).toBe(201);
  expect(limitResourceSchema.parse(json())).toEqual({
    ...sent,
    id: expect.stringMatching(/^bl_/),
    object: 'buyer_limit',
    total_limit: 12500.5,
    available_limit: 12500.5,
    status: 'approved',
    contact: { ...limit.contact, phone: null },
    supporting_documents: { object: 'list', data: [{ object: 'document', id: paper }] },
    created: expect.any(String),
  });
  expect(standIn.made().limit).toEqual({ '01234567 / 12500.5': 1 });
  expect(standIn.things('limit')[0]?.body).toEqual(sent);
});

test('a limit without documents has an empty list of them, and a missing state becomes null', async () => {
  const { caller } = await openStandIn();
  const { json } = await caller.post('limit', { company: await caller.company(), requested_limit: 1 });
  expect(json().supporting_documents).toEqual({ object: 'list', data: [] });
  expect(json()).not.toHaveProperty('contact');
  const made = await caller.post('company', { name: 'A', address: { city: 'Rome' } });
  expect(made.json().address).toEqual({ city: 'Rome', state: null });
});

test('a document gets an id, and is identified by its name and content', async () => {
  const { standIn, caller } = await openStandIn();
  const { status, json } = await caller.post('document', documentBody('profit', { name: 'q%204.pdf' }));
  expect(status).toBe(201);
  expect(json()).toMatchObject({ object: 'document', purpose: 'financial_statement', file_name: 'q%204.pdf' });
  const sha256 = createHash('sha256').update('profit').digest('hex');
  expect(standIn.things('document')).toEqual([
    {
      id: json().id,
      what: `q%204.pdf / ${sha256}`,
      body: {
        purpose: 'financial_statement',
        file: 'data:application/pdf;name=q%204.pdf;base64,',
        sizeBytes: 6,
        sha256,
      },
    },
  ]);
});

test('a document of 100 MB is accepted', async () => {
  const { standIn, caller } = await openStandIn();
  const sizeBytes = 100_000_000;
  const { purpose, file } = documentBody('');
  const base64 = Buffer.alloc(Math.ceil(sizeBytes / 3) * 4, 'QUJD');
  const body = Buffer.concat([Buffer.from(`{"purpose":"${purpose}","file":"${file}`), base64, Buffer.from('"}')]);
  const { status, json } = await caller.post('document', body);
  expect(status).toBe(201);
  expect(json().size_bytes).toBe(Math.ceil(sizeBytes / 3) * 3);
  expect(standIn.counts().made.document).toBe(1);
});

// test/service/schemas.test.ts has more invalid values.
test.each([
  ['company', {}, 'name: '],
  ['company', [], 'the body: '],
  ['limit', limit, 'company: '],
  ['limit', { ...limit, company: 'company_1' }, 'company: company_1 is not known'],
  ['limit', { ...limit, company: 'bl_1' }, 'company: '],
  ['limit', { company: 'KNOWN' }, 'requested_limit: '],
  ['limit', { ...limit, company: 'KNOWN', contact: { email: 'ann' } }, 'contact.email: '],
  [
    'limit',
    { ...limit, company: 'KNOWN', supporting_documents: ['doc_1'] },
    'supporting_documents: doc_1 is not known',
  ],
  ['limit', { ...limit, company: 'KNOWN', supporting_documents: ['KNOWN'] }, 'supporting_documents: '],
  ['document', { purpose: 'financial_statement' }, 'file: '],
  ['document', { file: documentBody('a').file }, 'purpose: '],
  ['document', { ...documentBody('a'), file: `${documentBody('').file}QQ=` }, 'file: its content is not base64'],
  ['document', { ...documentBody('a'), file: `${documentBody('').file}Q-_=` }, 'file: its content is not base64'],
] as const)('a %s with the body %j is refused', async (kind, body, why) => {
  const { standIn, caller } = await openStandIn();
  const known = await caller.company();
  const { status, json } = await caller.post(kind, JSON.stringify(body).replaceAll('KNOWN', known));
  expect(status).toBe(422);
  expect(json()).toMatchObject({ object: 'error', code: 'invalid_fields' });
  expect(json().message).toContain(why);
  expect(standIn.counts().made).toEqual({ company: 1, document: 0, limit: 0 });
});

test('a thing that is made twice is reported, whatever its other fields are', async () => {
  const { standIn, caller } = await openStandIn();
  for (const city of ['Leeds', 'York'])
    await caller.post('company', { ...company, address: { country_code: 'GB', city } });
  for (const name of ['A', 'B']) {
    const buyer = await caller.company(name);
    await caller.post('limit', { ...limit, company: buyer });
    await caller.post('limit', { company: buyer, requested_limit: 5 });
  }
  for (const purpose of ['a', 'b']) await caller.post('document', { ...documentBody('same'), purpose });
  await caller.post('document', documentBody('same', { name: 'other.pdf' }));
  expect(standIn.madeTwice()).toEqual([
    { kind: 'company', what: 'Bakery Ltd / GB', times: 2 },
    { kind: 'document', what: expect.stringMatching(/^accounts\.pdf \/ [0-9a-f]{64}$/), times: 2 },
    { kind: 'limit', what: '01234567 / 12500.5', times: 2 },
  ]);
});

const ids = makeIds({ secret: 'one' });

test.each([
  ['company', /^company_[0-9a-f]{32}$/],
  ['limit', /^bl_[0-9a-f]{32}$/],
  ['document', /^doc_[0-9a-f]{32}$/],
] as const)('an id of a %s has the documented form and is unique', (kind, shape) => {
  const made = ids.make(kind);
  expect(made).toMatch(shape);
  expect(ids.make(kind)).not.toBe(made);
});

test('an id is known to stand-ins with the same secret only', () => {
  const id = ids.make('company');
  expect(makeIds({ secret: 'one' }).knows('company', id)).toBe(true);
  expect(makeIds({ secret: 'two' }).knows('company', id)).toBe(false);
});

test.each([
  ['of another kind', (id: string) => id.replace('company_', 'doc_')],
  ['with a digit changed', (id: string) => id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))],
  ['cut short', (id: string) => id.slice(0, -1)],
  ['made longer', (id: string) => `${id}0`],
  ['made up', () => 'company_1'],
  ['empty', () => ''],
])('an id %s is not known', (_how, change) => {
  expect(ids.knows('company', change(ids.make('company')))).toBe(false);
});

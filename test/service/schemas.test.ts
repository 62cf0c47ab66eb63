import { describe, expect, test } from 'vitest';
import {
  companyBodySchema,
  companyResourceSchema,
  documentBodySchema,
  limitBodySchema,
  limitResourceSchema,
  tokenFormSchema,
} from '../../src/service/schemas.ts';

// The examples of docs/service.md. The tables below change one field at a time.
const company = {
  name: 'Bakery Ltd',
  address: { country_code: 'GB', city: 'Leeds', street: '1 Mill Lane', state: null },
  website: 'https://bakery.example',
};
const companyResource = {
  ...company,
  id: 'company_1',
  object: 'company',
  buyer_limit: null,
  contacts: { object: 'list', data: [] },
  created: '2026-11-21T10:00:00.000Z',
};
const limit = {
  company: 'company_1',
  business_information_source: 'dnb',
  business_information_id: '123456789',
  company_registration_number: '01234567',
  requested_limit: 12500.5,
  contact: { first_name: 'Ann', last_name: 'Lee', email: 'ann@bakery.example' },
  supporting_documents: ['doc_1'],
};
const limitResource = {
  ...limit,
  id: 'bl_1',
  object: 'buyer_limit',
  total_limit: 12500.5,
  available_limit: 12500.5,
  status: 'approved',
  contact: { ...limit.contact, phone: null },
  supporting_documents: { object: 'list', data: [] },
  created: '2026-11-21T10:00:00Z',
};
const document = { purpose: 'financial_statement', file: 'data:application/pdf;name=a.pdf;base64,QQ==' };
const form = { grant_type: 'client_credentials', client_id: 'id', client_secret: 'secret' };

const all = {
  company: [companyBodySchema, company],
  'company as answered': [companyResourceSchema, companyResource],
  limit: [limitBodySchema, limit],
  'limit as answered': [limitResourceSchema, limitResource],
  document: [documentBodySchema, document],
  'token form': [tokenFormSchema, form],
} as const;

describe.each(Object.entries(all))('%s', (_name, [schema, shown]) => {
  test('accepts the documented example and keeps unknown fields', () => {
    const more = { ...shown, unheard_of: { of: 1 } };
    expect(schema.parse(more)).toEqual(more);
  });
});

test.each([
  ['company', 'name', 7],
  ['company', 'address', 'Leeds'],
  ['company', 'address', { country_code: 'gb' }],
  ['company', 'address', { country_code: 'GBR' }],
  ['company', 'address', { country_code: null }],
  ['company', 'address', { state: 3 }],
  ['company', 'website', 'bakery'],
  ['company', 'website', null],
  ['company as answered', 'id', 'comp_1'],
  ['company as answered', 'id', 'company_'],
  ['company as answered', 'object', 'buyer'],
  ['company as answered', 'contacts', []],
  ['company as answered', 'created', '21 November 2026'],
  ['company as answered', 'created', '2026-11-21T10:00:00+01:00'],
  ['limit', 'company', 'bl_1'],
  ['limit', 'requested_limit', '12500.50'],
  ['limit', 'requested_limit', Number.POSITIVE_INFINITY],
  ['limit', 'contact', { email: 'ann' }],
  ['limit', 'contact', { first_name: null }],
  ['limit', 'supporting_documents', 'doc_1'],
  ['limit', 'supporting_documents', [1]],
  ['limit as answered', 'id', 'company_1'],
  ['limit as answered', 'total_limit', '1'],
  ['limit as answered', 'status', undefined],
  ['limit as answered', 'contact', limit.contact],
  ['limit as answered', 'supporting_documents', ['doc_1']],
  ['document', 'purpose', undefined],
  ['document', 'file', 'QQ=='],
  ['document', 'file', 'data:application/pdf;base64,QQ=='],
  ['document', 'file', 'data:pdf;name=a.pdf;base64,QQ=='],
  ['document', 'file', 'data:application/pdf;name=a;b.pdf;base64,QQ=='],
  ['token form', 'grant_type', 'password'],
  ['token form', 'client_secret', undefined],
] as const)('%s refuses %s: %j', (name, field, value) => {
  const [schema, shown] = all[name];
  const issues = schema.safeParse({ ...shown, [field]: value }).error?.issues ?? [];
  expect(issues.map(({ path }) => path[0])).toEqual([field]);
});

test.each(['company', 'limit'] as const)(
  'no field of a %s request is required, because the document shows none as required',
  (name) => {
    expect(all[name][0].safeParse({}).success).toBe(true);
  },
);

test('an unknown status is accepted', () => {
  expect(limitResourceSchema.parse({ ...limitResource, status: 'in_review' }).status).toBe('in_review');
});

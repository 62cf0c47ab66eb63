import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CALL_KINDS } from '../../src/call-kind.ts';
import { differencesOf, differenceWords, readMade } from '../../src/service/resource.ts';
import { companyIdSchema, limitIdSchema } from '../../src/service/schemas.ts';

const limit =
  '{"id":"bl_1","status":"approved","total_limit":12500.50,"available_limit":1E4,"created":"2026-11-21T10:00:00Z"}';

test.each([
  ['as documented', limit],
  ['with spaces and line breaks', limit.replaceAll(':', ' :\n ').replace(' :\n 00 :\n 00Z', ':00:00Z')],
  ['with another limit inside', limit.replace('{', '{"before":{"total_limit":7},')],
  ['with a text that looks like a field', limit.replace('{', '{"note":"\\"total_limit\\":7",')],
  ['with an escaped name', limit.replace('total_limit', 'total\\u005flimit').replace('{', '{"a":{"total_limit":7},')],
  ['with a repeated name, whose last value counts', limit.replace('{', '{"total_limit":7,')],
])('the digits of an amount are kept: %s', (_name, text) => {
  expect(withoutBesides(readMade('limit', text))).toEqual({
    is: 'made',
    id: 'bl_1',
    record: { status: 'approved', total_limit: '12500.50', available_limit: '1E4', created: '2026-11-21T10:00:00Z' },
  });
});

/** The fields that the document names. */
function withoutBesides(made: ReturnType<typeof readMade>) {
  if (made.is !== 'made') return made;
  const { besides: _others, ...record } = made.record;
  return { ...made, record };
}

test('hand-written reading accepts and returns the same as the schemas, for any JSON', () => {
  const schemas = {
    company: z.looseObject({ id: companyIdSchema }),
    limit: z.looseObject({ id: limitIdSchema }),
    document: z.looseObject({ id: z.string().min(1) }),
  };
  const record = (data: Record<string, unknown>) =>
    ['status', 'total_limit', 'available_limit', 'created'].flatMap((name) =>
      typeof data[name] === 'string' ? [[name, data[name]]] : [],
    );
  fc.assert(
    fc.property(fc.constantFrom(...CALL_KINDS), answer, (kind, text) => {
      // Numbers are kept as text, so that the schemas return their digits.
      const json = JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
        typeof value === 'number' ? context?.source : value,
      );
      const { success, data } = schemas[kind].safeParse(json);
      expect(withoutBesides(readMade(kind, text))).toEqual(
        success
          ? { is: 'made', id: data.id, record: kind === 'limit' ? Object.fromEntries(record(data)) : {} }
          : { is: 'unreadable', why: `its body has no id of a ${kind}` },
      );
    }),
    { numRuns: 2_000 },
  );
});

/** JSON in unusual forms: numbers of any form, escapes, spaces, repeated and nested names, values of the wrong type. */
const { answer } = fc.letrec<{ answer: string; value: string; object: string }>((tie) => {
  const name = fc.constantFrom('id', 'status', 'total_limit', 'available_limit', 'created', 'more', '__proto__');
  const space = fc.constantFrom('', '', ' ', '\n\t');
  const text = fc.oneof(
    fc.constantFrom('company_1', 'bl_1', 'bl_', 'company_', '', '"total_limit":1', 'total_limit', 'Größe', '\\'),
    fc.string(),
  );
  const quoted = (plain: fc.Arbitrary<string>) =>
    fc.tuple(plain, fc.boolean()).map(([words, isEscaped]) => {
      const json = JSON.stringify(words);
      return isEscaped ? json.replace(/[a-z_](?!.*\\)/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`) : json;
    });
  const field = fc
    .tuple(quoted(name), space, space, tie('value'))
    .map(([key, before, behind, value]) => `${key}${before}:${behind}${value}`);
  const list = (member: fc.Arbitrary<string>, [open, close]: [string, string]) =>
    fc
      .tuple(fc.array(member, { maxLength: 6 }), space)
      .map(([members, between]) => `${open}${between}${members.join(`${between},`)}${between}${close}`);
  return {
    // Most answers have a valid id, because little is read of the others.
    answer: fc.oneof(
      {
        weight: 9,
        arbitrary: fc
          .tuple(tie('object'), fc.constantFrom('bl_1', 'company_1'))
          .map(([json, id]) => json.replace(/\{(?=\s*")/, `{"id":"${id}",`)),
      },
      tie('value'),
    ),
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('0', '-0', '1.0', '12500.50', '1e3', '1E+400', '99999999999999999999', 'null', 'true'),
      quoted(text),
      list(tie('value'), ['[', ']']),
      tie('object'),
    ),
    object: list(field, ['{', '}']),
  };
});

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
])('a limit answered with %s differs in the right fields', (_name, answer, fields) => {
  expect(compared(answer)).toEqual(fields);
});

test('another name of a company is a difference, but the company still counts as its own', () => {
  const sent = { name: 'Acme GmbH', address: { country_code: 'DE', state: null } };
  expect(compared('{"name":"ACME","address":{"country_code":"DE","state":"BY"}}', 'company', sent)).toEqual([
    'name',
    'address.state',
  ]);
});

test('the words have both values, or only the field when it is personal', () => {
  const of = (field: string, answered: string, sent: string) => ({ field, answered, sent, isOthers: false });
  expect(differenceWords([of('requested_limit', '1', '3000'), of('contact.email', 'x@y.example', 'a@b.example')])).toBe(
    'its requested_limit is 1, where 3000 was sent; its contact.email differs from what was sent',
  );
  expect(differenceWords([of('company', 'x'.repeat(100), 'y')], 40)).toHaveLength(40);
});

// Promise: other-fields-of-companies
test('undocumented fields of companies and documents are kept, and documented ones are not', () => {
  const answer = { id: 'company_1', name: 'Buche GmbH', buyer_limit: null, contacts: [{ email: 'a@b.example' }] };
  expect(readMade('company', JSON.stringify(answer), { name: 'Buche' })).toEqual({
    is: 'made',
    id: 'company_1',
    record: { differs: 'its name is Buche GmbH, where Buche was sent' },
  });
  const scored = JSON.stringify({ ...answer, score: 7 });
  expect(readMade('company', scored, { name: 'Buche GmbH' })).toHaveProperty('record.besides', '{"score":7}');
  const document = JSON.stringify({ id: 'd1', object: 'document', pages: 3, link: 'x'.repeat(300) });
  expect(readMade('document', document)).toHaveProperty(
    'record.besides',
    expect.stringMatching(/^\{"pages":3,.{245}$/),
  );
  expect(readMade('document', '{"id":"d1","object":"document"}')).toEqual({ is: 'made', id: 'd1', record: {} });
});

test('numbers in undocumented fields keep the digits of the answer', () => {
  const besides = '{"rate":1.10,"reference":12345678901234567890,"big":1e400,"within":[{"n":-0}]}';
  expect(readMade('limit', besides.replace('{', '{"id":"bl_1",'))).toHaveProperty('record.besides', besides);
});

test.each(['toString', 'valueOf', 'hasOwnProperty'])(
  'an answer without the sent field %s has no difference',
  (name) => {
    const sent = { name: 'A', [name]: 'x', more: { [name]: 'x' } };
    expect(readMade('company', '{"id":"company_1","more":{}}', sent)).toEqual({
      is: 'made',
      id: 'company_1',
      record: {},
    });
  },
);

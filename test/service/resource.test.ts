import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CALL_KINDS } from '../../src/call-kind.ts';
import { readMade } from '../../src/service/resource.ts';
import { companyIdSchema, documentResourceSchema, limitIdSchema } from '../../src/service/schemas.ts';

const limit =
  '{"id":"bl_1","status":"approved","total_limit":12500.50,"available_limit":1E4,"created":"2026-11-21T10:00:00Z"}';

test.each([
  ['as it is shown', limit],
  ['with spaces and lines', limit.replaceAll(':', ' :\n ').replace(' :\n 00 :\n 00Z', ':00:00Z')],
  ['beside another limit within', limit.replace('{', '{"before":{"total_limit":7},')],
  ['beside a text that looks like it', limit.replace('{', '{"note":"\\"total_limit\\":7",')],
  [
    'under a name that is escaped',
    limit.replace('total_limit', 'total\\u005flimit').replace('{', '{"a":{"total_limit":7},'),
  ],
  ['the last of two', limit.replace('{', '{"total_limit":7,')],
])('keeps the digits of an amount: %s', (_name, text) => {
  expect(readMade('limit', text)).toEqual({
    is: 'made',
    id: 'bl_1',
    record: { status: 'approved', total_limit: '12500.50', available_limit: '1E4', created: '2026-11-21T10:00:00Z' },
  });
});

test('reads what the schemas read', () => {
  const schemas = {
    company: z.looseObject({ id: companyIdSchema }),
    limit: z.looseObject({ id: limitIdSchema }),
    document: documentResourceSchema,
  };
  const record = (data: Record<string, unknown>) =>
    ['status', 'total_limit', 'available_limit', 'created'].flatMap((name) =>
      typeof data[name] === 'string' ? [[name, data[name]]] : [],
    );
  fc.assert(
    fc.property(fc.constantFrom(...CALL_KINDS), answer, (kind, text) => {
      // Every number as the text that stands there, for the schemas to read.
      const json = JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
        typeof value === 'number' ? context?.source : value,
      );
      const { success, data } = schemas[kind].safeParse(json);
      expect(readMade(kind, text)).toEqual(
        success
          ? { is: 'made', id: data.id, record: kind === 'limit' ? Object.fromEntries(record(data)) : {} }
          : { is: 'unreadable', why: `its body has no id of a ${kind}` },
      );
    }),
    { numRuns: 2_000 },
  );
});

/** JSON as somebody else writes it: numbers of any form, escapes, spaces, a name twice or within, the wrong kind of thing. */
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
    // Most have an id that is good, since little is read of the others.
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

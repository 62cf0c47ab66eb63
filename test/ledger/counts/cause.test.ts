import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowProblemOf } from '../../../jobs/steps/row-problem.ts';
import { answeredRows, type CauseMeaning, causeOf, meaningOfProblem } from '../../../src/ledger/counts/cause.ts';
import type { RowProblem, RowRequest } from '../../../src/ledger/schema/row.ts';
import { makeRequest } from '../../support/ledger.ts';

const ACME: RowRequest = {
  name: 'Acme Röhren GmbH',
  buyer: 'k3jHs9_-abcdEFGH',
  company: {
    name: 'Acme Röhren GmbH',
    address: { country_code: 'DE', city: 'Köln', street: 'Am Ring 12', state: null },
    website: 'https://acme.example',
  },
  documents: [{ name: 'audit 2025.pdf', mediaType: 'application/pdf', sizeBytes: 9, sha256: 'ab'.repeat(32) }],
  limit: {
    requested_limit: '12500.5',
    company_registration_number: 'HRB 1234',
    contact: { first_name: 'Ida', last_name: 'Ott', email: 'ida@acme.example' },
  },
};

function refused(body: string, status = 422): RowProblem {
  return { step: 'limit', message: `The service refused the buyer limit request with status ${status}`, status, body };
}

const wordsOf = (body: string) => causeOf(refused(body), 'refused', ACME).words;

describe('the words of an answer become the words of a cause:', () => {
  test.each([
    ['plain text stays', 'requested_limit is above the maximum', 'requested_limit is above the maximum'],
    ["the buyer's name is replaced in any case", 'ACME RÖHREN GMBH is insolvent', '… is insolvent'],
    ["the buyer's name is replaced with other spaces", 'Acme  Röhren\nGmbH is insolvent', '… is insolvent'],
    ['no part of a longer word is replaced', 'Ottawa is not Ott', 'Ottawa is not …'],
    ['a country code is replaced only in capitals', 'country DE: de facto in', 'country …: de facto in'],
    ['city and street are replaced', 'no Am Ring 12 in Köln', 'no … in …'],
    ['a register number is replaced with other separators', 'HRB1234 and hrb-1234 are unknown', '… and … are unknown'],
    ['e-mail addresses are replaced, also of others', 'ida@acme.example, max.m@x.example bounce', '… bounce'],
    ['the document name is replaced', 'audit 2025.pdf cannot be read', '… cannot be read'],
    ['the amount is replaced', 'limit 12500.50 is above', 'limit … is above'],
    [
      'the amount is replaced with group separators',
      'limit 12,500.50 or 12.500,5 is above 900',
      'limit … or … is above 900',
    ],
    ['other amounts stay', 'at most 9000', 'at most 9000'],
    ['ids of the service are replaced', 'company_0a1b2c3d4e5f and bl_99x8y7z6 differ', '… and … differ'],
    ['field names stay', 'company_registration_number is bad', 'company_registration_number is bad'],
    ['a UUID is replaced', 'trace 0f8fad5b-d9cb-469f-a165-70867728950e', 'trace …'],
    ['a hexadecimal trace id is replaced', 'trace 4bf92f3577b34da6a3ce929d0e0e4736 ended', 'trace … ended'],
    ['timestamps and dates are replaced', 'at 2026-11-22T06:22:35.123Z, again 2026-11-23', 'at …, again …'],
    ['an HTTP date is replaced', 'until Sun, 22 Nov 2026 06:22:35 GMT', 'until …'],
    ['five digits are replaced', 'order 12345 failed', 'order … failed'],
    ['four digits stay', 'order 1234 failed', 'order 1234 failed'],
    ['digits inside a word are replaced', 'x123456y', 'x…y'],
    ['an error code with letters stays', 'E10234 and ORA-01017', 'E10234 and ORA-01017'],
    ['an error code after "error" or "code" stays', 'Error 10234, code: "12345"', 'Error 10234, code: "12345"'],
    ['nine digits after "error" are replaced', 'error 123456789', 'error …'],
    ['a lowercase letter with digits is no error code', 'invoice a10234', 'invoice a…'],
    ['adjacent values become one ellipsis', 'Ida Ott, Köln', '…'],
    ['URL-encoded values are replaced', 'GET /q?n=Acme%20R%C3%B6hren%20GmbH failed', 'GET /q?n=… failed'],
    ['invisible characters become spaces', 'a\u202eb\u0000c', 'a b c'],
    ['empty text stays empty', '', ''],
  ])('%s', (_name, body, words) => {
    expect(wordsOf(body)).toBe(words);
  });

  test.each([
    ['code and message', '{"object":"error","code":"too_high","message":"limit too high"}', 'too_high: limit too high'],
    ['message and code', '{"message":"limit too high","code":"too_high"}', 'too_high: limit too high'],
    ['a numeric code', '{"code":1234567,"message":"no"}', 'code 1234567: no'],
    ['a nested error', '{"error":{"type":"invalid","message":"bad name"},"id":"x"}', 'invalid: bad name'],
    [
      'a list of errors',
      '{"errors":[{"field":"city","message":"is empty"},{"message":"is Köln"}]}',
      'city: is empty: is …',
    ],
    ['errors by field name', '{"errors":{"name":["is bad"],"city":["is empty"]}}', 'city is empty: name is bad'],
    ['problem details', '{"type":"about:blank","title":"Bad","detail":"Köln is far"}', 'about:blank: … is far'],
    ['unknown fields', '{"ok":false,"a":{"b":3}}', 'b: 3, ok: false'],
    ['a JSON string', '"no"', 'no'],
    ['JSON that is cut off', '{"message":"K\\u00f6ln is \\"far\\"', '{"message":"… is "far"'],
    ['a web page', '<!doctype html><html><title>Not &amp; found</title><p>Köln', 'a web page: Not & found'],
    ['a web page without a title', '<html><body>x', 'a web page'],
    ['deep nesting', `${'{"error":'.repeat(50)}"x"${'}'.repeat(50)}`, ''],
  ])('an answer with %s', (_name, body, words) => {
    expect(wordsOf(body)).toBe(words);
  });

  test('long words are cut to 200 characters', () => {
    const words = wordsOf('word '.repeat(400));
    expect(words.length).toBeLessThanOrEqual(200);
    expect(words).toMatch(/^(word )+word…$/);
    expect(wordsOf('😀'.repeat(400)).isWellFormed()).toBe(true);
  });
});

const WISH = { what: 'the document audit 2025.pdf', sent: '{}' };

// Promise: answered-call-is-said
test('rows with a success status count as answered, also if the answer broke off', () => {
  const rowsOf = (reason: string, at: number) => {
    const cause = causeOf(rowProblemOf('limit', WISH, { is: 'unknown', reason, sentMs: 1e12 }), 'unknown', ACME);
    return { ...cause, rows: 10 ** at };
  };
  const reasons = [
    'status 201, but its id is missing: {}',
    'other side closed after status 200',
    'other side closed',
    'other side closed after status 503',
    'status 500: sent after status 200',
  ];
  expect(answeredRows(reasons.map(rowsOf))).toBe(11);
  expect(answeredRows([{ ...causeOf(refused('after status 200'), 'refused', ACME), rows: 1 }])).toBe(0);
  // A row with 200 as its amount still keeps the status of its answer in its words.
  const small = { ...ACME, limit: { ...ACME.limit, requested_limit: '200' } };
  const brokeOff = rowProblemOf('limit', WISH, {
    is: 'unknown',
    reason: 'other side closed after status 200',
    sentMs: 1e12,
  });
  expect(answeredRows([{ ...causeOf(brokeOff, 'unknown', small), rows: 1 }])).toBe(1);
});

describe('a failure of a call has a meaning, a status and words:', () => {
  test.each<[Parameters<typeof rowProblemOf>[2], CauseMeaning, number | null, string]>([
    [{ is: 'refused', status: 400, body: '{"message":"no"}' }, 'refused', 400, 'no'],
    [{ is: 'unknown', reason: 'other side closed', sentMs: 1e12 }, 'unknown', null, 'other side closed'],
    [
      {
        is: 'unknown',
        reason: 'status 500 (if this service makes nothing then, name 500 in SERVICE_NOT_MADE): {"message":"oh"}',
      },
      'unknown',
      500,
      'oh',
    ],
    [
      { is: 'unknown', reason: 'status 201, but its id is missing: {"name":"Köln"}' },
      'unknown',
      201,
      'but its id is missing: name: …',
    ],
    [
      { is: 'other', id: 'bl_1' },
      'other',
      null,
      'made before for another line of this name, for another buyer or amount',
    ],
    [
      { is: 'put off', reason: 'status 429', times: 30 },
      'put off',
      429,
      'put off again and again while others of this step passed',
    ],
  ])('%j', (failure, meaning, status, words) => {
    const problem = rowProblemOf('documents', WISH, failure);
    expect(meaningOfProblem(problem)).toBe(meaning);
    expect(causeOf(problem, meaning, ACME)).toMatchObject({ step: 'documents', meaning, status, words });
  });

  test('a failure of Limitline itself has the meaning "ours" and the error\'s text as its words', () => {
    const problem: RowProblem = {
      step: 'limit',
      message: 'Limitline itself failed at this row: ENOENT audit 2025.pdf',
    };
    expect(meaningOfProblem(problem)).toBe('ours');
    expect(causeOf(problem, 'ours', ACME).words).toBe('ENOENT …');
  });

  test('a row that another row replaces has no failure meaning', () => {
    expect(meaningOfProblem({ message: 'replaced by line 3 of q4.csv' })).toBeUndefined();
  });
});

describe('the id of a cause', () => {
  test('is short, and differs by step, meaning, status and words', () => {
    const one = causeOf(refused('no'), 'refused', ACME);
    const others = [
      causeOf({ ...refused('no'), step: 'company' }, 'refused', ACME),
      causeOf(refused('no', 400), 'refused', ACME),
      causeOf(refused('never'), 'refused', ACME),
      one.coarse,
    ];
    expect(one.id).toMatch(/^[0-9a-z]{8}$/);
    expect(new Set([one, ...others].map(({ id }) => id)).size).toBe(5);
  });

  test('the coarse cause does not depend on the words', () => {
    expect(causeOf(refused('no'), 'refused', ACME).coarse).toEqual(causeOf(refused('never'), 'refused', ACME).coarse);
  });

  test("is the same for two rows whose answers differ only in the rows' own values", () => {
    // The values begin and end with text that no template has, so that they are nowhere else in the text.
    const value = fc
      .string({ unit: fc.constantFrom(...'aeiouAEÖßñ0159 &.,-+()*$\\"/'), maxLength: 12 })
      .map((text) => `Zq${text}qZ`);
    const amount = fc.integer({ min: 1, max: 99_999_999 }).map((cents) => String(cents / 100));
    const request = fc
      .record({ name: value, city: value, number: value, email: value, amount })
      .map(({ name, city, number, email, amount: requested_limit }) => ({
        values: [name, city, number, requested_limit],
        request: makeRequest({
          name,
          company: { name, address: { city, state: null } },
          limit: { requested_limit, company_registration_number: number, contact: { email } },
        }),
      }));
    const template = fc.array(fc.constantFrom(0, 1, 2, 3, 'limit', 'is too high', 'E10234', ';', 'for'), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(template, request, request, fc.constantFrom('text', 'json', 'upper'), (pieces, one, other, form) => {
        const [first, second] = [one, other].map(({ values, request: of }) => {
          const text = pieces.map((piece) => (typeof piece === 'number' ? values[piece] : piece)).join(' ');
          const body = form === 'json' ? JSON.stringify({ message: text, code: 'bad' }) : text;
          return causeOf(refused(form === 'upper' ? body.toUpperCase() : body), 'refused', of);
        });
        expect(first).toEqual(second);
        expect(first?.words).not.toContain('Zq');
      }),
    );
  });
});

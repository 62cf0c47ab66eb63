import { expect, test } from 'vitest';
import { read, told } from '../../support/workbooks.ts';

// Promise: reference-of-another-buyer
test('a line with the request_reference of an earlier line, for another buyer or amount, is a problem', async () => {
  const { lines } = await read(
    [
      'name,country_code,requested_limit,request_reference',
      'Acme GmbH,DE,5000,R1',
      'Beta AG,FR,99000,R1',
      'Acme GmbH,DE,6000,r1',
      'Acme GmbH,DE,5000.00,R1',
      'Beta AG,FR,99000,R2',
    ].join('\n'),
  );
  expect(lines.map(({ kind }) => kind)).toEqual(['row', 'invalid', 'invalid', 'duplicate', 'row']);
  expect(told(lines)).toEqual([
    expect.stringMatching(/^3 request_reference: Line 2 already has this request_reference for another buyer: /),
    expect.stringMatching(/^4 request_reference: Line 2 already has this request_reference with another amount: /),
    expect.stringMatching(/^5 null: Line 2 already has the same request_reference/),
  ]);
});

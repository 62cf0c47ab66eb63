import { expect, test } from 'vitest';
import {
  accountOfLine,
  mendedLineOf,
  mendedZerosOf,
  namesAccount,
  otherAccountWords,
} from '../../../src/portfolio/columns/result-columns.ts';

test.each([
  [['name', 'limitline_account'], ['A', 'live'], 'live'],
  [['name', ' Limitline Account '], ['A', ' live '], 'live'],
  [['LIMITLINE_ACCOUNT', 'limitline_account'], ['live', ''], 'live'],
  [['limitline_account', 'limitline_account'], ['live', 'other'], 'other'],
  [['name', 'limitline_account'], ['A'], ''],
  [['name', 'account'], ['A', 'live'], ''],
])('with the header %j the cells %j give the account %j', (header, cells, account) => {
  expect(accountOfLine(header)(cells)).toBe(account);
  expect(namesAccount(header)).toBe(header.some((name) => /limitline.account/i.test(name)));
});

test.each(['Prod', '42', 'please \u001b[31mcheck'])(
  'a line of another account %j gets instructions with its escaped name',
  (theirs) => {
    const words = otherAccountWords({ line: 'Line 3', there: 'import the file there' }, theirs, '0042');
    const shown = theirs.replace('\u001b', '\u241b');
    expect(words).toContain(`Line 3 belongs to account "${shown}", but this is account "0042": set SERVICE_ACCOUNT`);
    expect(words).toContain('write "0042" there again.');
  },
);

// Promise: errors-file-lost-zeros
test.each([
  ['', {}],
  [' with buyer_reference 0017', { buyer_reference: '0017' }],
  [' with buyer_reference 0017 and request_reference 02', { buyer_reference: '0017', request_reference: '02' }],
  // What a person leaves who deletes a number as its problem says.
  [' with  and request_reference 02', { request_reference: '02' }],
  [' with ', {}],
  [' with', {}],
])('an errors file says which line was meant with "%s" behind it', (behind, zeros) => {
  const cells = [`q4 with x #0123456789ab line 17${behind}`];
  expect(mendedLineOf(['limitline_from'])(cells)).toEqual({
    portfolio: 'q4 with x',
    file: '0123456789ab',
    line: 17,
  });
  expect(Object.fromEntries(mendedZerosOf(['limitline_from'])(cells))).toEqual(zeros);
});

import { expect, test } from 'vitest';
import { accountOfLine, namesAccount } from '../../../src/portfolio/columns/result-columns.ts';

test.each([
  [['name', 'limitline_account'], ['A', 'live'], 'live'],
  [['name', ' Limitline Account '], ['A', ' live '], 'live'],
  [['LIMITLINE_ACCOUNT', 'limitline_account'], ['live', ''], 'live'],
  [['limitline_account', 'limitline_account'], ['live', 'other'], 'other'],
  [['name', 'limitline_account'], ['A'], ''],
  [['name', 'account'], ['A', 'live'], ''],
])('of the header %j the cells %j name the account %j', (header, cells, account) => {
  expect(accountOfLine(header)(cells)).toBe(account);
  expect(namesAccount(header)).toBe(header.some((name) => /limitline.account/i.test(name)));
});

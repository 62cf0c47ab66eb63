import { expect, test } from 'vitest';
import { checkCommand } from '../../../jobs/import/other-files.ts';

// Promise: earlier-file-can-be-checked
test.each([
  ['list.csv', '"list.csv"'],
  ['Käufer 2 (neu).xlsx', '"Käufer 2 (neu).xlsx"'],
  [undefined, 'FILE'],
  ['standard input', 'FILE'],
  ['--replace.csv', 'FILE'],
  ['a$(reboot).csv', 'FILE'],
  ['a"; reboot; ".csv', 'FILE'],
  ['a\nb.csv', 'FILE'],
])('the suggested command checks the file %j under the name %s, in its portfolio', (fileName, word) => {
  expect(checkCommand('q4 eu', fileName)).toBe(`check ${word} --portfolio "q4 eu"`);
});

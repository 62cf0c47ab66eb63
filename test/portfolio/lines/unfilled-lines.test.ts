import { expect, test } from 'vitest';
import { read } from '../../support/workbooks.ts';

// Promise: errors-file-keeps-reason
test('a line of an errors file shows its earlier problem if it is still empty, and its empty cells if it is half filled', async () => {
  const { lines } = await read(
    [
      'Firma,Kreditlimit,row,limitline_line,problem,limitline_account,limitline_from',
      ',,,";Summe;5",Firma: This line reads like a total.,stand-in,q4 #0123456789ab line 4',
      'Elm GmbH,,,";Elm",The line has 2 cells.,stand-in,q4 #0123456789ab line 5',
      ',,,,,stand-in,q4 #0123456789ab line 6',
      '',
    ].join('\n'),
  );
  const empty = 'This cell is empty and must not be.';
  expect(lines.map((line) => line.kind === 'invalid' && line.problems)).toMatchObject([
    [{ line: 2, column: null, message: 'Firma: This line reads like a total.' }],
    [{ line: 3, column: 'Kreditlimit', message: empty }],
    [
      { line: 4, column: 'Firma', message: empty },
      { line: 4, column: 'Kreditlimit', message: empty },
    ],
  ]);
});

import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { vocabularyOf } from '../../../src/portfolio/columns/header-doubts.ts';
import { DELIMITERS } from '../../../src/table/dialect.ts';
import { makeEncoder } from '../../../src/table/encodings/encoders.ts';
import { openTable } from '../../../src/table/open-table.ts';
import { makeTemporaryFolder, stringifyOptions } from '../../support/temporary-folder.ts';

/** Characters of real tables that each encoding can write. */
const ENCODINGS: Record<string, string> = {
  'utf-8': 'aZ9 äß株😀"\'',
  'utf-16le': 'aZ9 äß株😀"\'',
  'utf-16be': 'aZ9 äß株😀"\'',
  'windows-1252': 'aZ9 äß€–"\'',
  'windows-1250': 'aZ9 łąžý"\'',
  shift_jis: 'aZ9 株式会社ソ表"\'',
  gb18030: 'aZ9 德国公司ä"\'',
};

/** Shared by all tables, since making an encoder takes a while. */
const ENCODERS = new Map(Object.keys(ENCODINGS).map((encoding) => [encoding, makeEncoder(encoding)]));

const anyDialect = fc.record({
  encoding: fc.constantFrom(...Object.keys(ENCODINGS)),
  delimiter: fc.constantFrom(...DELIMITERS),
  lineBreak: fc.constantFrom('\r\n', '\n', '\r'),
  sepLine: fc.boolean(),
  quoted: fc.boolean(),
});

test('any table that Limitline writes in any dialect is read back equal', async () => {
  const { write } = await makeTemporaryFolder();
  const anyTable = anyDialect.chain((dialect) => {
    const signs = [...(ENCODINGS[dialect.encoding] ?? ''), ',', ';', '\t', '|', '\n'];
    const cell = fc.string({ unit: fc.constantFrom(...signs), maxLength: 8 });
    return fc.record({ dialect: fc.constant(dialect), rows: fc.array(fc.tuple(cell, cell, cell), { maxLength: 6 }) });
  });
  await fc.assert(
    fc.asyncProperty(anyTable, async ({ dialect, rows }) => {
      const { encoding, delimiter, lineBreak, sepLine, quoted } = dialect;
      const header = ['name', 'requested_limit', 'note'];
      // A record of blank cells is a blank line of a spreadsheet, not a buyer.
      const filled = rows.filter((cells) => cells.some((cell) => cell.trim() !== ''));
      const body = stringify([header, ...filled], { ...stringifyOptions(dialect), quoted });
      const mark = encoding.startsWith('utf-16') ? '\ufeff' : '';
      const start = sepLine ? `sep=${delimiter}${lineBreak}` : '';
      const path = await write('a.csv', ENCODERS.get(encoding)?.(`${mark}${start}${body}`) ?? '');
      const table = await openTable({
        path,
        encoding,
        delimiter: sepLine ? undefined : delimiter,
        vocabulary: vocabularyOf(),
      });
      const read = [table.header?.cells];
      for (;;) {
        const record = table.next();
        if (record) read.push(record.cells);
        else if (!(await table.more())) break;
      }
      await table.close();
      expect(read).toEqual([header, ...filled]);
      expect(table.dialect).toMatchObject({ encoding, delimiter, lineBreak, sepLine });
    }),
    { numRuns: 300 },
  );
});

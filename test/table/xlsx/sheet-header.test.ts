import { describe, expect, test } from 'vitest';
import type { PortfolioFile } from '../../../src/portfolio/open-portfolio.ts';
import { readWorkbook, times, writeWorkbook } from '../../support/workbooks.ts';

const row = (line: number, ...cells: string[]) =>
  `<row r="${line}">${cells.map((cell) => (cell === '' ? '<c/>' : `<c t="str"><v>${cell}</v></c>`)).join('')}</row>`;

const read = (sheet: Iterable<string>, given?: Partial<PortfolioFile>) =>
  readWorkbook((path) => writeWorkbook(path, { sheet }), given);

const told = ({ headerLine, above, problems, lines }: Awaited<ReturnType<typeof read>>) => ({
  headerLine,
  above,
  problems: problems.length,
  rows: lines.map((line) => [line.line, line.kind === 'row' ? line.row.name : line.kind]),
});

describe('a sheet with rows above its header', () => {
  const SHEET = [
    row(1, 'Debitorenliste'),
    row(3, 'Stand', '31.12.2025', '', 'x'),
    row(5, 'Firma', 'Limit', 'Notiz'),
    row(6, 'Acme', '1'),
    row(7, 'Beta', '2', '', 'wide'),
  ];

  // Promise: header-is-found
  test('is read from the row with column names, and is as wide as that row', async () => {
    expect(told(await read(SHEET))).toEqual({
      headerLine: 5,
      above: { from: 1, to: 4, texts: ['Debitorenliste', 'Stand 31.12.2025 x'] },
      problems: 0,
      rows: [
        [6, 'Acme'],
        [7, 'invalid'],
      ],
    });
  });

  // Promise: header-line-is-named
  test('is read from a given header row at any depth, and keeps no rows above it', async () => {
    function* far() {
      yield* times(30_000, (n) => row(n, 'title', 'a', 'b', 'c'));
      yield row(30_001, 'Name', 'Limit');
      yield row(30_002, 'Acme', '1');
    }
    expect(told(await read(far(), { headerLine: 30_001 }))).toMatchObject({
      headerLine: 30_001,
      problems: 0,
      rows: [[30_002, 'Acme']],
    });
    expect(told(await read(SHEET, { headerLine: 4 }))).toMatchObject({ problems: 1, rows: [] });
    expect(told(await read(SHEET, { headerLine: 9 }))).toMatchObject({ problems: 1, rows: [] });
  });

  test('is read from its first row if that is the header', async () => {
    const sheet = [row(2, 'Name', 'Limit', ''), row(3, 'Firma', '1', '', 'wide'), row(4, 'Limit', '2')];
    expect(told(await read(sheet))).toEqual({
      headerLine: 2,
      above: null,
      problems: 0,
      rows: [
        [3, 'invalid'],
        [4, 'Limit'],
      ],
    });
  });
});

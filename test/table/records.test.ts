import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_RECORD_LENGTH } from '../../src/table/physical-lines.ts';
import { makeRecordReader, type RawRecord, type Shape } from '../../src/table/records.ts';

/** Three columns; the amount is in the second, and the last is the team's own. */
const SHAPE: Shape = {
  fits: (cells) => cells.length === 3,
  mayBreak: (column) => column === 2,
  standsAlone: (line) => /^[^,]*,\d+,[^,]*$/.test(line),
};

describe('records', () => {
  test.each(['\n', '\r\n', '\r'])('end with %j and have the line numbers of an editor', (lineBreak) => {
    const text = ['a,1,x', '', '  ', 'b,2,"y', 'z"', '', 'c,3,z'].join(lineBreak);
    const expected = [
      [1, ['a', '1', 'x']],
      [4, ['b', '2', `y${lineBreak}z`]],
      [7, ['c', '3', 'z']],
    ];
    expect(read(text).map(lineAndCells)).toEqual(expected);
    expect(read(text + lineBreak).map(lineAndCells)).toEqual(expected);
  });

  test('do not include rules of dashes as in printed lists and Markdown', () => {
    const text = [
      '----------',
      'a,1,-',
      '+---------+-----+',
      '-,-,-',
      '==== ====== ===',
      '--- a ---,b,c',
      ',---,:---:,',
      ',--,---',
    ].join('\n');
    expect(read(text).map(lineAndCells)).toEqual([
      [2, ['a', '1', '-']],
      [4, ['-', '-', '-']],
      [6, ['--- a ---', 'b', 'c']],
      [8, ['', '--', '---']],
    ]);
  });

  test('may end in several ways in one file', () => {
    expect(read('a\rb\nc\r\n\r\rd').map(lineAndCells)).toEqual([
      [1, ['a']],
      [2, ['b']],
      [3, ['c']],
      [6, ['d']],
    ]);
  });

  test('are read as csv-stringify wrote them, with any line break and however the text is split', () => {
    // Random cells seldom look like rows, but only rows of equal width reveal a lost quotation mark.
    const plain: Shape = { fits: (cells) => cells.length === 3, mayBreak: () => true, standsAlone: () => false };
    const cell = fc.string({ unit: fc.constantFrom('a', '1', 'é', ' ', ',', '"', '\n', '\r', '\r\n') });
    const record = fc.tuple(fc.constant('key'), cell, cell);
    fc.assert(
      fc.property(
        fc.array(record),
        fc.constantFrom('\n' as const, '\r' as const, '\r\n' as const),
        fc.integer({ min: 1, max: 9 }),
        (records, lineBreak, size) => {
          // csv-stringify quotes only its own line break.
          const text = stringify(records, { record_delimiter: lineBreak, quoted_match: /[\r\n]/ });
          expect(read(text, { size, shape: plain }).map((one) => one.cells)).toEqual(records);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('are equal however the text is split, also broken ones', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '1', ',', '"', '\n', '\r'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (csv, size) => {
        expect(read(csv, { size, shape: SHAPE })).toEqual(read(csv, { shape: SHAPE }));
      }),
      { numRuns: 300 },
    );
  });

  test('cover every line that is not blank', () => {
    const line = fc.string({ unit: fc.constantFrom('a', '1', ',', '"'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const records = read(lines.join('\n'), { shape: SHAPE });
        const covered = records.flatMap((one) => {
          const breaks = (one.text ?? '').split('\n').length - 1;
          return Array.from({ length: breaks + 1 }, (_, index) => one.line + index);
        });
        const filled = lines.flatMap((text, index) => (text.replaceAll(/""|,/g, '').trim() === '' ? [] : [index + 1]));
        expect(filled.filter((number) => !covered.includes(number))).toEqual([]);
        expect(new Set(covered).size).toBe(covered.length);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a lost quotation mark', () => {
  test.each([
    ['that is closed nowhere', ['a,1,"x', 'b,2,y', 'c,3,z'], [1], [2, 3]],
    ['that is closed by one before more text', ['a,1,"x', 'b,2,y', 'c,3,"z"'], [1], [2, 3]],
    ['that is closed in a cell that may not have lines', ['a,"1,x', 'b,2,y', 'c,3",z'], [1, 3], [2]],
    ['that is closed with a wrong number of cells', ['a,1,"x', 'y",z'], [1, 2], []],
    ['on every line', ['a,1,"x', 'b,2,"y', 'c,3,"z'], [1, 2, 3], []],
    ['on the last line', ['a,1,x', 'b,2,"y'], [2], [1]],
    ['inside a cell', ['a,1,5" x', 'b,2,y'], [1], [2]],
    ['before more text', ['a,1,"x"y', 'b,2,y'], [1], [2]],
  ])('%s breaks no other line', (_, lines, broken, good) => {
    const records = read(lines.join('\n'), { shape: SHAPE });
    expect(records.filter((one) => one.fault).map((one) => one.line)).toEqual(broken);
    expect(records.filter((one) => !one.fault && one.cells.length === 3).map((one) => one.line)).toEqual(
      expect.arrayContaining(good),
    );
  });

  test('is not suspected in a cell with several lines', () => {
    const text = 'a,1,"dear all,\ncall, then write, then wait\n\n"\nb,2,y';
    expect(read(text, { shape: SHAPE }).map(lineAndCells)).toEqual([
      [1, ['a', '1', 'dear all,\ncall, then write, then wait\n\n']],
      [5, ['b', '2', 'y']],
    ]);
  });

  test('is reported with its cell and the text of its line', () => {
    const [record] = read('"Acme, Inc",1,"x\nb,2,y', { shape: SHAPE });
    expect(record).toEqual({
      line: 1,
      cells: ['Acme, Inc', '1', '"x'],
      text: '"Acme, Inc",1,"x',
      fault: { cell: 2, message: expect.stringContaining('never closed') },
    });
  });

  test.each([
    ['in the middle', ['a,1,"x', 'b,2,y', 'c"', 'd,4,z'], 3],
    ['at the end', ['a,1,"x', 'b,2,y"', 'd,4,z'], 2],
    ['as a part of the text', ['a,1,"earlier terms:', 'b,500000,declined', 'see mail"', 'd,4,z'], 3],
  ])('that is closed with the right number of cells, but has a row %s, breaks all these lines', (_, lines, last) => {
    const [broken, ...good] = read(lines.join('\n'), { shape: SHAPE });
    expect(broken).toEqual({
      line: 1,
      cells: ['a', '1', expect.stringContaining('\n')],
      text: lines.slice(0, last).join('\n'),
      fault: { cell: 2, message: expect.stringMatching(`line 2, .* lines 1 to ${last} is taken`) },
    });
    expect(good.map(lineAndCells)).toEqual([[last + 1, ['d', '4', 'z']]]);
  });

  test.each([
    ['open a cell', 'a,1,"x'],
    ['open a cell after doubled ones', '"""",1,"x'],
    ['have one inside a cell', 'a,1,5" x'],
  ])('costs bounded work if 40,000 lines %s', (_, line) => {
    const lines = Array.from({ length: 40_000 }, () => line);
    const started = cpuMs();
    expect(read(lines.join('\n'), { size: 65_536, shape: SHAPE }).every((one) => one.fault)).toBe(true);
    // It takes a tenth of a second. If every search ran to the end of the text, it would take ten seconds or more.
    expect(cpuMs() - started).toBeLessThan(5_000);
  });

  test('costs bounded work if every further line closes a cell and opens one', () => {
    const lines = ['a,1,"x', ...Array.from({ length: 40_000 }, () => '","')];
    const started = cpuMs();
    const records = read(lines.join('\n'), { size: 65_536, shape: SHAPE });
    expect(records).toHaveLength(40_001);
    expect(records.filter((one) => one.fault)).toHaveLength(1);
    expect(cpuMs() - started).toBeLessThan(5_000);
  });

  test('costs bounded work if the next one is far away', () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => (index % 1_000 === 0 ? 'a,1,"x' : 'a,1,""'));
    const started = cpuMs();
    const records = read(lines.join('\n'), { size: 65_536, shape: SHAPE });
    expect(records.filter((one) => one.fault)).toHaveLength(40);
    expect(records).toHaveLength(40_000);
    expect(cpuMs() - started).toBeLessThan(5_000);
  });
});

describe('blank lines', () => {
  test.each(['', '----------'])('are skipped quickly above the header: %j', (line) => {
    const lines = Array.from({ length: 500_000 }, () => line);
    const started = cpuMs();
    expect(read([...lines, 'a,b,c'].join('\n'), { size: 65_536 }).map(lineAndCells)).toEqual([
      [500_001, ['a', 'b', 'c']],
    ]);
    // With one call of the parser for each line it would take three times as long.
    expect(cpuMs() - started).toBeLessThan(5_000);
  });

  test('do not read ahead into records that depend on the header', () => {
    const reader = makeRecordReader(',');
    reader.feed(['', '', 'a,b,c', 'd,1,x', 'e,2,"y', 'f,3,z"', 'g,4,z', ''].join('\n'));
    reader.end();
    expect(reader.next()).toMatchObject({ line: 3, cells: ['a', 'b', 'c'] });
    const rest = [1, 2, 3, 4].map(() => reader.next(SHAPE));
    expect(rest.map((one) => one && [one.line, one.fault !== null])).toEqual([[4, false], [5, true], [7, false], null]);
  });
});

describe('an over-long record', () => {
  const long = 'x'.repeat(MAX_RECORD_LENGTH);

  test.each([
    ['in one piece', Number.POSITIVE_INFINITY],
    ['in many pieces', 65_536],
  ])('is one broken line if it arrives %s', (_, size) => {
    const records = read(`a,1,x\nb,2,${long}\r\nc,3,z`, { size, shape: SHAPE });
    expect(records.map((one) => one.line)).toEqual([1, 2, 3]);
    expect(records[1]?.fault).toEqual({ cell: null, message: expect.stringContaining('longer than 1048576') });
    expect(records[1]?.cells.join(',').length).toBeLessThan(2_000);
    expect(records[2]?.cells).toEqual(['c', '3', 'z']);
  });

  test('is one broken line also at the end of the text', () => {
    expect(read(`a,1,x\n${long}x`, { size: 65_536 }).map((one) => one.fault !== null)).toEqual([false, true]);
  });

  test('of exactly the maximum length is valid', () => {
    expect(read(`${long}\na`, { size: 65_536 }).map((one) => one.fault)).toEqual([null, null]);
  });

  test('of many lines breaks only its first line', () => {
    const filler = Array.from({ length: 11_000 }, () => 'y'.repeat(100));
    const records = read(['a,1,"x', ...filler, 'z"', 'b,2,y'].join('\n'), { size: 65_536, shape: SHAPE });
    expect(records[0]).toEqual(expect.objectContaining({ line: 1, fault: expect.anything() }));
    expect(records).toHaveLength(filler.length + 3);
    expect(records.at(-1)).toMatchObject({ line: filler.length + 3, cells: ['b', '2', 'y'], fault: null });
  });
});

/** The processor time of this thread, to which other load of the machine adds nothing. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** All records of a text that is fed in pieces of the given size. */
function read(
  text: string,
  { size = Number.POSITIVE_INFINITY, shape }: { size?: number; shape?: Shape } = {},
): RawRecord[] {
  const reader = makeRecordReader(',');
  const records: RawRecord[] = [];
  const drain = () => {
    for (let record = reader.next(shape); record; record = reader.next(shape)) records.push(record);
  };
  for (let at = 0; at < text.length; at += size) {
    reader.feed(text.slice(at, at + size));
    drain();
  }
  reader.end();
  drain();
  return records;
}

const lineAndCells = ({ line, cells }: RawRecord): [number, string[]] => [line, cells];

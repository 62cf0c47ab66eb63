import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_RECORD_LENGTH } from '../../src/table/physical-lines.ts';
import { makeRecordReader, type RawRecord, type Shape } from '../../src/table/records.ts';

/** Three columns, the last of which is an own one; the amount is in the second. */
const SHAPE: Shape = {
  fits: (cells) => cells.length === 3,
  mayBreak: (column) => column === 2,
  standsAlone: (line) => /^[^,]*,\d+,[^,]*$/.test(line),
};

describe('records', () => {
  test.each(['\n', '\r\n', '\r'])('end with %j, and are numbered as an editor does', (lineBreak) => {
    const text = ['a,1,x', '', '  ', 'b,2,"y', 'z"', '', 'c,3,z'].join(lineBreak);
    const expected = [
      [1, ['a', '1', 'x']],
      [4, ['b', '2', `y${lineBreak}z`]],
      [7, ['c', '3', 'z']],
    ];
    expect(read(text).map(lineAndCells)).toEqual(expected);
    expect(read(text + lineBreak).map(lineAndCells)).toEqual(expected);
  });

  test('are not the rules of dashes that printed lists draw between them', () => {
    const text = ['----------', 'a,1,-', '+---------+-----+', '-,-,-', '==== ====== ===', '--- a ---,b,c'].join('\n');
    expect(read(text).map(lineAndCells)).toEqual([
      [2, ['a', '1', '-']],
      [4, ['-', '-', '-']],
      [6, ['--- a ---', 'b', 'c']],
    ]);
  });

  test('end in several ways in one file', () => {
    expect(read('a\rb\nc\r\n\r\rd').map(lineAndCells)).toEqual([
      [1, ['a']],
      [2, ['b']],
      [3, ['c']],
      [6, ['d']],
    ]);
  });

  test('come back as csv-stringify wrote them, whatever the line break and wherever the text is split', () => {
    // Random cells seldom look like rows, but rows of one width are what tells a quotation mark that was lost.
    const plain: Shape = { fits: (cells) => cells.length === 3, mayBreak: () => true, standsAlone: () => false };
    const cell = fc.string({ unit: fc.constantFrom('a', '1', 'é', ' ', ',', '"', '\n', '\r', '\r\n') });
    const record = fc.tuple(fc.constant('key'), cell, cell);
    fc.assert(
      fc.property(
        fc.array(record),
        fc.constantFrom('\n' as const, '\r' as const, '\r\n' as const),
        fc.integer({ min: 1, max: 9 }),
        (records, lineBreak, size) => {
          // csv-stringify quotes for its own line break alone.
          const text = stringify(records, { record_delimiter: lineBreak, quoted_match: /[\r\n]/ });
          expect(read(text, { size, shape: plain }).map((one) => one.cells)).toEqual(records);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('come out the same wherever the text is split, broken ones too', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '1', ',', '"', '\n', '\r'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (csv, size) => {
        expect(read(csv, { size, shape: SHAPE })).toEqual(read(csv, { shape: SHAPE }));
      }),
      { numRuns: 300 },
    );
  });

  test('never lose a line: each is in a record or blank', () => {
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
    ['closed nowhere', ['a,1,"x', 'b,2,y', 'c,3,z'], [1], [2, 3]],
    ['answered by one that text follows', ['a,1,"x', 'b,2,y', 'c,3,"z"'], [1], [2, 3]],
    ['answered by one in a cell that has no lines', ['a,"1,x', 'b,2,y', 'c,3",z'], [1, 3], [2]],
    ['answered so that the cells do not add up', ['a,1,"x', 'y",z'], [1, 2], []],
    ['one on every line', ['a,1,"x', 'b,2,"y', 'c,3,"z'], [1, 2, 3], []],
    ['on the last line', ['a,1,x', 'b,2,"y'], [2], [1]],
    ['inside a cell', ['a,1,5" x', 'b,2,y'], [1], [2]],
    ['before more text', ['a,1,"x"y', 'b,2,y'], [1], [2]],
  ])('%s takes no other line with it', (_, lines, broken, good) => {
    const records = read(lines.join('\n'), { shape: SHAPE });
    expect(records.filter((one) => one.fault).map((one) => one.line)).toEqual(broken);
    expect(records.filter((one) => !one.fault && one.cells.length === 3).map((one) => one.line)).toEqual(
      expect.arrayContaining(good),
    );
  });

  test('leaves a text of several lines alone', () => {
    const text = 'a,1,"dear all,\ncall, then write, then wait\n\n"\nb,2,y';
    expect(read(text, { shape: SHAPE }).map(lineAndCells)).toEqual([
      [1, ['a', '1', 'dear all,\ncall, then write, then wait\n\n']],
      [5, ['b', '2', 'y']],
    ]);
  });

  test('names the cell and keeps the line as it is written', () => {
    const [record] = read('"Acme, Inc",1,"x\nb,2,y', { shape: SHAPE });
    expect(record).toEqual({
      line: 1,
      cells: ['Acme, Inc', '1', '"x'],
      text: '"Acme, Inc",1,"x',
      fault: { cell: 2, message: expect.stringContaining('never closed') },
    });
  });

  test.each([
    ['in the middle of it', ['a,1,"x', 'b,2,y', 'c"', 'd,4,z'], 3],
    ['at its end', ['a,1,"x', 'b,2,y"', 'd,4,z'], 2],
    ['that was meant as text', ['a,1,"earlier terms:', 'b,500000,declined', 'see mail"', 'd,4,z'], 3],
  ])('answered so that the cells add up, with a row inside %s, gives neither, and names both', (_, lines, last) => {
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
  ])('costs bounded work when 40,000 lines %s', (_, line) => {
    const lines = Array.from({ length: 40_000 }, () => line);
    const started = cpuMs();
    expect(read(lines.join('\n'), { size: 65_536, shape: SHAPE }).every((one) => one.fault)).toBe(true);
    // A tenth of a second in practice. Were every search to run to the end of the text, it would be ten seconds or more.
    expect(cpuMs() - started).toBeLessThan(5_000);
  });

  test('costs bounded work when every further line closes a cell and opens one', () => {
    const lines = ['a,1,"x', ...Array.from({ length: 40_000 }, () => '","')];
    const started = cpuMs();
    const records = read(lines.join('\n'), { size: 65_536, shape: SHAPE });
    expect(records).toHaveLength(40_001);
    expect(records.filter((one) => one.fault)).toHaveLength(1);
    expect(cpuMs() - started).toBeLessThan(5_000);
  });

  test('costs bounded work when the next one is far away', () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => (index % 1_000 === 0 ? 'a,1,"x' : 'a,1,""'));
    const started = cpuMs();
    const records = read(lines.join('\n'), { size: 65_536, shape: SHAPE });
    expect(records.filter((one) => one.fault)).toHaveLength(40);
    expect(records).toHaveLength(40_000);
    expect(cpuMs() - started).toBeLessThan(5_000);
  });
});

describe('lines that are blank', () => {
  test.each(['', '----------'])('cost next to nothing above the header, however many there are: %j', (line) => {
    const lines = Array.from({ length: 500_000 }, () => line);
    const started = cpuMs();
    expect(read([...lines, 'a,b,c'].join('\n'), { size: 65_536 }).map(lineAndCells)).toEqual([
      [500_001, ['a', 'b', 'c']],
    ]);
    // With a call of the parser for each line it would be three times as much.
    expect(cpuMs() - started).toBeLessThan(5_000);
  });

  test('have nothing read ahead behind them that only the header can tell', () => {
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
    ['in many', 65_536],
  ])('is one broken line when it comes %s', (_, size) => {
    const records = read(`a,1,x\nb,2,${long}\r\nc,3,z`, { size, shape: SHAPE });
    expect(records.map((one) => one.line)).toEqual([1, 2, 3]);
    expect(records[1]?.fault).toEqual({ cell: null, message: expect.stringContaining('longer than 1048576') });
    expect(records[1]?.cells.join(',').length).toBeLessThan(2_000);
    expect(records[2]?.cells).toEqual(['c', '3', 'z']);
  });

  test('is one broken line at the end of the text as well', () => {
    expect(read(`a,1,x\n${long}x`, { size: 65_536 }).map((one) => one.fault !== null)).toEqual([false, true]);
  });

  test('is as long as it may be without being broken', () => {
    expect(read(`${long}\na`, { size: 65_536 }).map((one) => one.fault)).toEqual([null, null]);
  });

  test('of many lines gives up its first line alone', () => {
    const filler = Array.from({ length: 11_000 }, () => 'y'.repeat(100));
    const records = read(['a,1,"x', ...filler, 'z"', 'b,2,y'].join('\n'), { size: 65_536, shape: SHAPE });
    expect(records[0]).toEqual(expect.objectContaining({ line: 1, fault: expect.anything() }));
    expect(records).toHaveLength(filler.length + 3);
    expect(records.at(-1)).toMatchObject({ line: filler.length + 3, cells: ['b', '2', 'y'], fault: null });
  });
});

/** The time that this thread has worked: a machine that is busy with other things adds nothing to it. */
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

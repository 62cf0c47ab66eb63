import { createWriteStream } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { openPortfolio, type PortfolioFile } from '../../src/portfolio/open-portfolio.ts';
import { heapInUse } from '../support/held-bytes.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const MB = 1024 * 1024;

/** The memory that reading a file of any size may add; a whole 100 MB line held once would exceed it. */
const BOUND_BYTES = 96 * MB;

/** Reads a file to its end, and returns its problems, counts and the most memory that it took. */
async function digest(path: string, given: Partial<PortfolioFile> = {}) {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const opened = await openPortfolio({ path, ...given });
  const counts = { row: 0, invalid: 0, duplicate: 0 };
  const said = opened.problems.map((one) => one.message);
  for await (const batch of opened.batches()) {
    for (const line of batch) {
      counts[line.kind] += 1;
      if (line.kind === 'invalid' && said.length < 10) said.push(...line.problems.map((one) => one.message));
    }
    most = Math.max(most, process.memoryUsage.rss());
  }
  return { counts, said, warnings: opened.warnings, tookBytes: Math.max(most, process.memoryUsage.rss()) - before };
}

/** Writes what a generator yields without holding it in memory. */
async function written(parts: () => Iterable<string>) {
  const { dir, write } = await makeTemporaryFolder();
  const path = `${dir}/a.csv`;
  await pipeline(Readable.from(parts()), createWriteStream(path));
  return { path, write };
}

function* times(count: number, text: string): Generator<string> {
  for (let n = 0; n < count; n += 1) yield text;
}

describe('bad input takes bounded memory and is reported clearly:', () => {
  // The file is sparse and takes no room on the disk. Zeros are what a failed disk leaves of a file.
  test('a file with 200 MB of zeros after its first lines', async () => {
    const { write } = await makeTemporaryFolder();
    const path = await write('a.csv', 'name,requested_limit\nAcme,1\n');
    await truncate(path, 200 * MB);
    const { counts, said, tookBytes } = await digest(path);
    expect(counts).toEqual({ row: 1, invalid: 1, duplicate: 0 });
    expect(said).toEqual([expect.stringContaining('The line is longer than'), expect.stringContaining('U+0000')]);
    expect(tookBytes).toBeLessThan(BOUND_BYTES);
  });

  test.each([
    ['of delimiters', ','],
    ['that opens a quotation mark', '"xx'],
  ])('a line of 100 MB, %s', async (_name, unit) => {
    const piece = unit.repeat(Math.ceil(MB / unit.length)).slice(0, MB);
    const { path } = await written(function* () {
      yield 'name,requested_limit\n';
      yield* times(100, piece);
      yield '\nAcme,1\n';
    });
    const { counts, said, tookBytes } = await digest(path);
    expect(counts).toEqual({ row: 1, invalid: 1, duplicate: 0 });
    expect(said).toEqual([expect.stringContaining('The line is longer than')]);
    expect(tookBytes).toBeLessThan(BOUND_BYTES);
  });

  test.each([
    ['a header with more columns than a line may hold', 200_000, 'The line is longer than'],
    ['a header with as many equal columns as a line may hold', 170_000, 'The column requested_limit is needed'],
  ])('%s', async (_name, columns, message) => {
    const { path } = await written(() => times(columns, 'Firma,'));
    const { said } = await digest(path);
    expect(said.some((one) => one.includes(message))).toBe(true);
  });

  test('a line of 8 MB in Shift_JIS without a line break', async () => {
    const { write } = await makeTemporaryFolder();
    const start = Buffer.from('name,requested_limit\n');
    const path = await write('a.csv', Buffer.concat([start, Buffer.alloc(8 * MB, Buffer.of(0x8a, 0x94))]));
    const { said } = await digest(path, { encoding: 'shift_jis' });
    expect(said).toEqual([expect.stringContaining('The line is longer than')]);
  });

  test('20,000 lines with a problem each', async () => {
    const { path } = await written(function* () {
      yield 'name,requested_limit\n';
      yield* times(20_000, 'Acme,nothing\n');
    });
    const before = heapInUse();
    let [lines, keptBytes] = [0, Number.NaN];
    for await (const batch of (await openPortfolio({ path })).batches()) {
      lines += batch.filter(({ kind }) => kind === 'invalid').length;
      if (lines === 20_000) keptBytes = heapInUse() - before;
    }
    // All lines together would need more.
    expect(keptBytes).toBeLessThan(4 * MB);
  });
});

test('a line with 400,000 control characters is reported with some twenty problems', async () => {
  const { path } = await written(() => ['name,requested_limit\nAcme,1', ',\u0001'.repeat(400_000), '\nZinc,2\n']);
  const { said, counts } = await digest(path);
  expect(counts).toEqual({ row: 1, invalid: 1, duplicate: 0 });
  expect(said).toHaveLength(22);
  expect(said.slice(-2)).toEqual([expect.stringContaining('U+0001'), expect.stringContaining('the whole line')]);
});

// Searched once for each line, they would take ten times as long.
test('100,000 header cells without a name do not slow down the lines below', async () => {
  const { path } = await written(function* () {
    yield `name,requested_limit${','.repeat(100_000)}\n`;
    for (let n = 0; n < 10_000; n += 1) yield `Buyer ${n},1\n`;
  });
  expect((await digest(path)).counts).toEqual({ row: 10_000, invalid: 0, duplicate: 0 });
});

test('a spreadsheet error such as #NV is an invalid name, and a name that begins with # is valid', async () => {
  const { write } = await makeTemporaryFolder();
  const { counts, said } = await digest(await write('a.csv', 'name,requested_limit\n#NV,1\n#Fashion GmbH,2\n'));
  expect(counts).toEqual({ row: 1, invalid: 1, duplicate: 0 });
  expect(said).toEqual([expect.stringContaining('correct the formula')]);
});

test('a file with only a header gets a warning and no problem', async () => {
  const { write } = await makeTemporaryFolder();
  const { said, warnings } = await digest(await write('a.csv', 'name,requested_limit\n'));
  expect(said).toEqual([]);
  expect(warnings.map((one) => one.message)).toContain('The file has a header and no line below it.');
});

test('NUL bytes are a problem of their own line only', async () => {
  const { write } = await makeTemporaryFolder();
  const { counts, said } = await digest(await write('a.csv', 'name,requested_limit\nA\0cme,1\nZinc,2\n'));
  expect(counts).toEqual({ row: 1, invalid: 1, duplicate: 0 });
  expect(said).toEqual([expect.stringContaining('U+0000')]);
});

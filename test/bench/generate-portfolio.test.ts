import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { generatePortfolio, PORTFOLIO_COLUMNS, portfolioLine } from './generate-portfolio.ts';

async function makePath(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'limitline-generate-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return join(dir, 'buyers.csv');
}

test('every generated line is valid, means another buyer, and has no warning', async () => {
  const path = await makePath();
  // More than one chunk of lines, and not a whole number of chunks.
  await generatePortfolio({ path, rows: 1_234 });
  const opened = await openPortfolio({ path });
  expect(opened.problems).toEqual([]);
  const lines = (await Array.fromAsync(opened.batches())).flat();
  expect(lines).toHaveLength(1_234);
  expect(lines.filter(({ kind }) => kind !== 'row')).toEqual([]);
  expect(new Set(lines.map((line) => line.kind === 'row' && line.row.buyer)).size).toBe(1_234);
  // The stand-in identifies companies by name and country.
  expect(new Set(lines.map(({ cells }) => `${cells[0]} / ${cells[1]}`)).size).toBe(1_234);
});

test('a generated portfolio has commas in cells, cents, and a few limits above 750,000', async () => {
  const path = await makePath();
  await generatePortfolio({ path, rows: 1_000 });
  const rows = parse<Record<string, string>>(await readFile(path, 'utf8'), { columns: true });
  const share = (found: (row: Record<string, string>) => boolean) => rows.filter(found).length / rows.length;
  expect(share(({ name }) => name?.includes(',') ?? false)).toBeGreaterThan(0.05);
  expect(share(({ street }) => street?.includes(',') ?? false)).toBeGreaterThan(0.05);
  expect(share(({ requested_limit }) => requested_limit?.includes('.') ?? false)).toBe(0.5);
  expect(share(({ requested_limit }) => Number(requested_limit) > 750_000)).toBeLessThan(0.1);
  expect(share(({ requested_limit }) => Number(requested_limit) > 750_000)).toBeGreaterThan(0.01);
});

test('a longer generated portfolio begins with the lines of a shorter one', async () => {
  const [short, long] = [await makePath(), await makePath()];
  await generatePortfolio({ path: short, rows: 10 });
  await generatePortfolio({ path: long, rows: 600 });
  expect((await readFile(long, 'utf8')).startsWith(await readFile(short, 'utf8'))).toBe(true);
});

test('every generated line has twelve cells, and no two lines have the same name', () => {
  const index = fc.nat({ max: 100_000_000 });
  const read = (at: number) => parse(portfolioLine(at))[0] as string[];
  fc.assert(
    fc.property(index, index, (one, other) => {
      expect(read(one)).toHaveLength(PORTFOLIO_COLUMNS.length);
      expect(read(one)[0] === read(other)[0]).toBe(one === other);
    }),
  );
});

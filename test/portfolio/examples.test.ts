import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultDocumentsDir, makeDocumentFolder } from '../../src/documents/folder.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { readSupplier } from '../../src/portfolio/supplier.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');

async function readExample(name: string) {
  const path = join(EXAMPLES, name);
  const documents = makeDocumentFolder({ dir: defaultDocumentsDir(path), maxSizeMb: 20 });
  const now = new Date('2026-11-21T00:00:00Z');
  const opened = await openPortfolio({ path, documents, now });
  const lines: Line[] = [];
  for await (const batch of opened.batches()) lines.push(...batch);
  return { problems: opened.problems, lines };
}

test('portfolio.csv has every kind of line and of problem', async () => {
  const { problems, lines } = await readExample('portfolio.csv');
  expect(problems).toEqual([]);
  const rows = lines.flatMap((line) => (line.kind === 'row' ? [line] : []));
  expect(rows).toHaveLength(45);
  expect(new Set(rows.map((line) => line.row.buyer)).size).toBe(44);
  expect(new Set(rows.map((line) => line.row.company.address.country_code)).size).toBeGreaterThan(12);
  expect(rows.flatMap((line) => line.warnings.map((one) => `${one.line} ${one.column}`))).toEqual([
    '3 supporting_documents',
    '5 statements_dated',
    '31 requested_limit',
  ]);
  expect(lines.flatMap((line) => line.changed.map((one) => `${one.line} ${one.column} ${one.became}`))).toEqual([
    '16 requested_limit 25000',
    '18 country_code DE',
    '36 country_code GB',
    '52 website https://www.faulty.example',
    '52 statements_dated 2025-03-31',
  ]);
  const faults = lines.flatMap((line) =>
    line.kind === 'row' ? [] : line.problems.map((one) => `${line.kind} ${one.line} ${one.column}`),
  );
  expect(faults).toEqual([
    'invalid 17 requested_limit',
    'invalid 35 null',
    'invalid 37 contact_email',
    'invalid 38 supporting_documents',
    'invalid 39 street',
    'duplicate 53 null',
  ]);
});

test('every example document is small and named by a line', async () => {
  const { lines } = await readExample('portfolio.csv');
  const named = new Set(
    lines.flatMap((line) => (line.kind === 'row' ? line.row.documents.map((one) => one.path) : [])),
  );
  const folder = join(EXAMPLES, 'documents');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.toSorted()).toEqual([...named].toSorted());
  for (const file of files) expect((await stat(file)).size).toBeLessThan(4096);
});

test('clean.csv has no problems', async () => {
  const { problems, lines } = await readExample('clean.csv');
  expect(problems).toEqual([]);
  expect(lines.map((line) => line.kind)).toEqual(['row', 'row', 'row', 'row', 'row']);
});

test('supplier.csv is read as a company to create', async () => {
  expect(await readSupplier(join(EXAMPLES, 'supplier.csv'))).toMatchObject({
    company: { name: 'Nordwind Components GmbH' },
  });
});

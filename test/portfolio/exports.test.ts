import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import type { Problem } from '../../src/portfolio/problem.ts';
import { readOptionsSchema } from '../../src/portfolio/read-options.ts';
import { all, NOW } from '../support/workbooks.ts';

/** What an export must yield; exports/README.md explains how to add one. */
const manifestSchema = z.strictObject({
  system: z.string(),
  layout: z.array(z.string()).min(1),
  options: readOptionsSchema
    .omit({ mapping: true })
    .extend({ map: z.record(z.string(), z.string().nullable()).optional() })
    .strict()
    .default({}),
  header: z.int(),
  rows: z.array(z.strictObject({ line: z.int(), name: z.string(), limit: z.string() }).catchall(z.string())),
  problems: z.array(
    z.strictObject({ line: z.int(), kind: z.string(), column: z.string().optional(), says: z.string() }),
  ),
  warnings: z.array(z.strictObject({ line: z.int(), column: z.string().optional(), says: z.string() })),
});

const FOLDER = join(import.meta.dirname, 'exports');
const NO_EXPORT = /\.(json|md|ts)$/;
const files = readdirSync(FOLDER).filter((name) => !NO_EXPORT.test(name));

/** This warning appears for every file without documents. */
const NO_DOCUMENTS = /good lines? names? no document/;

function manifestOf(file: string) {
  const path = join(FOLDER, file.replace(/\.\w+$/, '.json'));
  return manifestSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

async function read(file: string, { map, ...options }: ReturnType<typeof manifestOf>['options']) {
  const mapping = readOptionsSchema.shape.mapping.parse(map && { columns: map });
  const opened = await openPortfolio({
    ...options,
    ...(mapping ? { mapping } : {}),
    path: join(FOLDER, file),
    now: NOW,
  });
  const lines = await all(opened.batches());
  return { ...opened, lines };
}

/** A row as a manifest writes it: the values that are sent, without empty ones. */
function rowOf(line: Line): Record<string, unknown>[] {
  if (line.kind !== 'row') return [];
  const { company, limit, name } = line.row;
  const { country_code: country, city, street, state } = company.address;
  const found = {
    line: line.line,
    name,
    limit: limit.requested_limit,
    country,
    city,
    street,
    state,
    website: company.website,
    registration: limit.company_registration_number,
    email: limit.contact?.email,
  };
  return [Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined && value !== null))];
}

/** Pairs each found problem with the expected one; the text is shortened to the expected beginning if it matches. */
function compare(
  found: (Problem & { kind?: string })[],
  wanted: { line: number; column?: string | undefined; says: string; kind?: string }[],
) {
  const said = found.map(({ line, column, message, kind }, place) => {
    const { says = '', column: named } = wanted[place] ?? {};
    const told = { line, ...(kind ? { kind } : {}), says: message.startsWith(says) ? says : message };
    return named === undefined ? told : { ...told, column };
  });
  return { said, wanted };
}

describe('exports of other systems', () => {
  // Promise: exports-of-seventeen-systems
  test('cover at least seventeen systems, each with a manifest', () => {
    expect(files.length).toBeGreaterThanOrEqual(17);
    const manifests = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
    expect(manifests).toEqual(files.map((file) => file.replace(/\.\w+$/, '.json')));
    expect(files.every((file) => existsSync(join(FOLDER, file)))).toBe(true);
  });

  // Promise: exports-of-seventeen-systems
  test.each(files)('%s yields the rows, problems and warnings of its manifest', async (file) => {
    const manifest = manifestOf(file);
    const { lines, warnings, problems, headerLine } = await read(file, manifest.options);
    expect(problems).toEqual([]);
    expect(headerLine).toBe(manifest.header);
    expect(lines.flatMap(rowOf)).toEqual(manifest.rows);
    const wrong = lines.flatMap((line) =>
      line.kind === 'row' ? [] : line.problems.map((problem) => ({ ...problem, kind: line.kind })),
    );
    const told = compare(wrong, manifest.problems);
    expect(told.said).toEqual(told.wanted);
    const ofLines = lines.flatMap((line) => (line.kind === 'row' ? line.warnings : []));
    const warned = compare(
      [...ofLines, ...warnings].filter(({ message }) => !NO_DOCUMENTS.test(message)),
      manifest.warnings,
    );
    expect(warned.said).toEqual(warned.wanted);
  });
});

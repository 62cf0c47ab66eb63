import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SERVICE_PATHS } from '../../src/service/paths.ts';
import { companyBodySchema, documentBodySchema, limitBodySchema } from '../../src/service/schemas.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const [, ...SECTIONS] = readFileSync(join(ROOT, 'docs/service.md'), 'utf8').split(/^## /m);
const TEXTS = new Map(SECTIONS.map((section) => [section.split('\n', 1)[0] ?? '', section]));

/** The sections of docs/service.md that a file cites, also across a line break; '' when no quoted name follows. */
function citedIn(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8').replace(/\n\s*(?:\*|\/\/|--) /g, ' ');
  return [...text.matchAll(/docs\/service\.md, (?:"([^"]+)")?/g)].map((match) => match[1] ?? '');
}

const FILES = ['src', 'jobs', 'scripts', 'test']
  .flatMap((top) => readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' }).map((path) => join(top, path)))
  .filter((file) => /\.(?:ts|mjs|cjs|lua)$/.test(file));
const cited = FILES.flatMap((file) => citedIn(file).map((section) => ({ file, section })));

const HELD = [
  ...readFileSync(join(ROOT, 'test/docs/service.md'), 'utf8').matchAll(/^\| .+? \| `(test\/[^`]+)` \| (.+) \|$/gm),
].map(([, file = '', title = '']) => ({ file, title }));

describe('docs/service.md', () => {
  test.each(HELD)('names an existing test: $title', ({ file, title }) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    expect(text).toMatch(new RegExp(`['"\`]${title.replace(/[.*+?^$\\{}()|[\]\\]/g, '\\$&')}['"\`]`));
  });

  test('has every section that the code cites', () => {
    expect(cited.length).toBeGreaterThan(10);
    expect(cited.filter(({ section }) => !TEXTS.has(section))).toEqual([]);
  });

  test('is cited by the code, and the document from which it was written is not', () => {
    expect(FILES.filter((file) => /service[-]api/.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });

  test('lists the paths of all calls', () => {
    expect([...(TEXTS.get('Calls') ?? '').matchAll(/`(\/[^`]+)` \|/g)].map((match) => match[1])).toEqual([
      SERVICE_PATHS.token,
      SERVICE_PATHS.company,
      SERVICE_PATHS.document,
      SERVICE_PATHS.limit,
    ]);
  });

  test.each([
    { section: 'Company', schema: companyBodySchema },
    { section: 'Buyer limit request', schema: limitBodySchema },
    { section: 'Document', schema: documentBodySchema },
  ])('lists every sent field: $section', ({ section, schema }) => {
    const rows =
      TEXTS.get(section)
        ?.split('\n')
        .filter((line) => line.startsWith('|')) ?? [];
    for (const field of Object.keys(schema.shape)) {
      expect(rows.filter((row) => new RegExp(`^\\| \`${field}\` \\| [^|]*\\w`).test(row))).toHaveLength(1);
    }
  });
});

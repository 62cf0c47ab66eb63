import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Who may import whom, types included (ARCHITECTURE.md, "Floors"). A part that is not in this table may not exist.
 * `console` and `stand-in` are named in full where only a part of them is meant.
 */
const GROUND = [
  ...['src/errors.ts', 'src/config.ts', 'src/log.ts', 'src/line-writer.ts', 'src/lua-script.ts'],
  ...['src/files', 'src/proxy.ts', 'src/data-folder.ts', 'src/counted.ts'],
  ...['src/likeness.ts', 'src/resource-ids.ts'],
];
const MAY_IMPORT: Record<string, readonly string[]> = {
  'src/errors.ts': [],
  'src/config.ts': [
    ...['src/errors.ts', 'src/log.ts', 'src/proxy.ts'],
    ...['src/data-folder.ts', 'src/given-settings.ts', 'src/setting-names.ts'],
  ],
  'src/data-folder.ts': ['src/errors.ts'],
  'src/given-settings.ts': ['src/errors.ts'],
  'src/setting-names.ts': ['src/likeness.ts'],
  'src/log.ts': ['src/errors.ts', 'src/line-writer.ts'],
  'src/line-writer.ts': [],
  'src/lua-script.ts': ['src/errors.ts'],
  'src/proxy.ts': ['src/errors.ts'],
  'src/files': ['src/errors.ts'],
  'src/counted.ts': [],
  'src/likeness.ts': [],
  'src/resource-ids.ts': [],
  'src/redis': GROUND,
  'src/service': GROUND,
  'src/table': GROUND,
  'src/documents': GROUND,
  'src/portfolio': [...GROUND, 'src/table', 'src/documents'],
  'src/pace': GROUND,
  'src/ledger': GROUND,
  'src/queue': GROUND,
  'src/stand-in': [...GROUND, 'src/service/schemas.ts'],
  'src/context.ts': ['src'],
  jobs: ['src'],
  scripts: ['src', 'jobs'],
};
const NOT_FOR_JOBS = ['src/console', 'src/stand-in'];

const ROOT = resolve(import.meta.dirname, '..');

function sourceFiles(): string[] {
  return ['src', 'jobs', 'scripts'].flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(top, path)),
  );
}

/** Files of ours that a file imports, statically or not. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const specifiers = [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)'(\.{1,2}\/[^']+)'/g)].map(
    (match) => match[1] ?? '',
  );
  return specifiers.map((specifier) => relative(ROOT, resolve(ROOT, dirname(file), specifier)));
}

/** Packages of others that a file imports. */
function packagesOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const names = text.matchAll(/\b(?:from|import)\s*\(?\s*'((?:@[\w-]+\/)?[a-z][\w.-]*)(?:\/[\w./-]+)?'/g);
  return [...names].map((match) => match[1] ?? '');
}

/** The part of the house that a file belongs to: the longest name of the table that it begins with. */
function partOf(file: string): string | undefined {
  const names = Object.keys(MAY_IMPORT).filter((name) => file === name || file.startsWith(`${name}/`));
  return names.sort((a, b) => b.length - a.length)[0];
}

const within = (file: string, name: string) => file === name || file.startsWith(`${name}/`);

test.each(sourceFiles())('%s imports downwards only', (file) => {
  const part = partOf(file);
  if (part === undefined) throw new Error(`${file} belongs to no part of the house`);
  const forbidden = importsOf(file).filter((target) => {
    if (within(target, part)) return false;
    if (part === 'jobs' && NOT_FOR_JOBS.some((name) => within(target, name))) return true;
    return !(MAY_IMPORT[part] ?? []).some((name) => within(target, name));
  });
  expect(forbidden).toEqual([]);
});

test.each(sourceFiles())('%s stays one thing', (file) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split('\n').length).toBeLessThanOrEqual(300);
});

test('what is delivered needs no package that only developing needs', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const delivered = sourceFiles().filter((file) => !within(file, 'scripts/bench'));
  const needed = new Set(delivered.flatMap(packagesOf));
  expect(needed).toContain('csv-parse');
  expect([...needed].filter((name) => !Object.hasOwn(dependencies, name))).toEqual([]);
});

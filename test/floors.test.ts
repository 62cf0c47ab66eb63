import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAY_IMPORT, PACKAGE_TYPES, PACKAGES, PRIVATE } from './support/floors-tables.ts';
import { circlesOf, type Import, importsOf, packageOf, READABLE, targetOf } from './support/imports-of.ts';

const MAX_LINES = 300;

/** Files with an import whose name is computed, and why that does not break the floors. */
const COMPUTED: Record<string, string> = {
  'src/portfolio/values/countries.ts': 'the names of countries, a file a language, from one package',
  'src/version.ts': 'reads the commit from the files of git in the folder that it is in',
  'scripts/limitline.cjs': 'starts the sources, or in a package what was built of them',
};

const ROOT = resolve(import.meta.dirname, '..');
const HOUSE = ['src', 'jobs', 'scripts'];

function filesIn(...folders: string[]): string[] {
  return folders.flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
  );
}

interface Arrow extends Import {
  from: string;
  /** A file or folder of this project, or undefined if a package is imported. */
  to: string | undefined;
}

const SOURCES = filesIn(...HOUSE);
const ARROWS: Arrow[] = SOURCES.filter((file) => READABLE.test(file)).flatMap((from) =>
  importsOf(from, readFileSync(join(ROOT, from), 'utf8')).map((found) => ({
    ...found,
    from,
    to: targetOf(from, found),
  })),
);

const within = (file: string, name: string) => file === name || file.startsWith(`${name}/`);
const withinAny = (file: string, names: readonly string[] = []) => names.some((name) => within(file, name));

/** The part of the project that a file belongs to. */
function partOf(file: string): string | undefined {
  const names = Object.keys(MAY_IMPORT).filter((name) => within(file, name));
  return names.sort((a, b) => b.length - a.length)[0];
}

function mayImport(from: string, to: string): boolean {
  const part = partOf(from);
  if (part === undefined || (to in PRIVATE && !withinAny(from, PRIVATE[to]))) return false;
  return partOf(to) === part || withinAny(to, MAY_IMPORT[part]);
}

/** The forbidden imports, one a line. */
const said = (arrows: readonly Arrow[]) =>
  arrows.map(({ from, to, specifier }) => `${from} imports ${to ?? specifier}`);

describe('floors', () => {
  test('every source file has a kind whose imports this test can read', () => {
    // A table of digests, which can import nothing.
    const others = ['src/people/passwords/common-passwords.bin'];
    expect(SOURCES.filter((file) => !READABLE.test(file))).toEqual(others);
  });

  test('every source file belongs to a part, and every name in the tables exists', () => {
    const homeless = SOURCES.filter((file) => partOf(file) === undefined);
    expect(homeless, 'name the part in MAY_IMPORT of test/support/floors-tables.ts').toEqual([]);
    const named = [MAY_IMPORT, PRIVATE, COMPUTED].flatMap((table) => Object.keys(table));
    const places = [MAY_IMPORT, PRIVATE, PACKAGES, PACKAGE_TYPES].flatMap((table) => Object.values(table).flat());
    const ours = [...named, ...places].filter((name) => withinAny(name, HOUSE));
    expect(ours.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  });

  test('imports go downward only', () => {
    const upward = ARROWS.filter(({ from, to }) => to !== undefined && !mayImport(from, to));
    expect(said(upward), 'MAY_IMPORT in test/support/floors-tables.ts says who may import what').toEqual([]);
  });

  test('every imported file of the project exists', () => {
    const ours = ARROWS.filter(({ to }) => to !== undefined && withinAny(to, HOUSE));
    expect(ours.length).toBeGreaterThan(SOURCES.length);
    expect(said(ours.filter(({ to = '' }) => !existsSync(join(ROOT, to))))).toEqual([]);
  });

  test('import names are literal, or begin with the folder or file of the importing file', () => {
    const inFolder = ({ how, specifier }: Arrow) => how === 'new URL' && /\/$|#/.test(specifier);
    const computed = ARROWS.filter((arrow) => arrow.isComputed && !inFolder(arrow));
    expect([...new Set(computed.map(({ from }) => from))].sort()).toEqual(Object.keys(COMPUTED).sort());
  });

  test('no file imports itself through others', () => {
    const imports = new Map(SOURCES.map((file) => [file, [] as string[]]));
    for (const { from, to } of ARROWS) if (to !== undefined && imports.has(to)) imports.get(from)?.push(to);
    expect(circlesOf(imports)).toEqual([]);
  });
});

describe('packages', () => {
  const ofOthers = ARROWS.filter(({ to, specifier }) => to === undefined && specifier !== '' && !isBuiltin(specifier));

  test('a package is imported only by its own parts', () => {
    const wrong = ofOthers.filter((arrow) => {
      const name = packageOf(arrow);
      const types = arrow.isTypeOnly ? PACKAGE_TYPES[name] : undefined;
      return !withinAny(arrow.from, PACKAGES[name]) && !withinAny(arrow.from, types);
    });
    expect(said(wrong)).toEqual([]);
  });

  test('every package in the table is imported', () => {
    const imported = new Set(ofOthers.map(packageOf));
    expect(Object.keys(PACKAGES).filter((name) => !imported.has(name))).toEqual([]);
  });

  test('the delivered code imports no development dependency', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const delivered = ofOthers.filter(({ from }) => from !== 'scripts/build.ts');
    expect(said(delivered.filter((arrow) => !Object.hasOwn(dependencies, packageOf(arrow))))).toEqual([]);
  });
});

test(`no file is longer than ${MAX_LINES} lines`, () => {
  const files = filesIn(...HOUSE, 'test').filter((file) => READABLE.test(file));
  // The lines that name the promises of a test belong to the documentation.
  const isCode = (line: string) => !/^ *\/\/ Promises?: /.test(line);
  const linesOf = (file: string) => readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n').filter(isCode).length;
  expect(files.filter((file) => linesOf(file) > MAX_LINES).sort()).toEqual([]);
});

/** Each command of the command line exports its own function of this name. */
const EXPORTED_BY_MANY = new Set(['register']);

test('no two product files export a type or function with the same name', () => {
  const files = SOURCES.filter((file) => file.endsWith('.ts'));
  const namesIn = (file: string) =>
    [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(
        /^export (?:type|interface|class|(?:async )?function\*?) (\w+)/gm,
      ),
    ].map(([, name = '']) => ({ name, file }));
  const byName = [...Map.groupBy(files.flatMap(namesIn), ({ name }) => name)];
  const doubles = byName.filter(([name, all]) => all.length > 1 && !EXPORTED_BY_MANY.has(name));
  expect(doubles.map(([name, all]) => `${name}: ${all.map(({ file }) => file).join(', ')}`)).toEqual([]);
});

test('each export of a product file is used in another file', () => {
  const files = [...SOURCES, ...filesIn('test')].filter((file) => READABLE.test(file));
  const code = new Map(
    files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8').replace(/^ *(?:\/?\*|\/\/).*$/gm, '')]),
  );
  const usedIn = Map.groupBy(
    [...code].flatMap(([file, text]) => [...new Set(text.match(/\w+/g))].map((name) => ({ name, file }))),
    ({ name }) => name,
  );
  const exported = SOURCES.filter((file) => file.endsWith('.ts')).flatMap((file) =>
    [...(code.get(file) ?? '').matchAll(/^export (?:type|const|class|(?:async )?function\*?) (\w+)/gm)].map(
      ([, name = '']) => ({ name, file }),
    ),
  );
  const unused = exported.filter(({ name }) => usedIn.get(name)?.length === 1);
  expect(unused.map(({ name, file }) => `${file}: ${name}`)).toEqual([]);
});

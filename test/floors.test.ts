import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { circlesOf } from './support/import-circles.ts';
import { type Import, importsOf, packageOf, READABLE, targetOf } from './support/imports-of.ts';

/** What every part of `src` above it may import: one file a fact, or a folder of such. */
const GROUND = [
  'src/errors.ts',
  'src/config.ts',
  'src/log.ts',
  'src/line-writer.ts',
  'src/lua-script.ts',
  'src/files',
  'src/proxy.ts',
  'src/data-folder.ts',
  'src/counted.ts',
  'src/money-text.ts',
  'src/call-kind.ts',
  'src/answer-headers.ts',
  'src/outcome.ts',
  'src/likeness.ts',
  'src/resource-ids.ts',
  'src/actor.ts',
];

/** What jobs may import of `src`: all but what is for scripts (the stand-in), for `context.ts` (connections), or for workers. */
const FOR_JOBS = [
  ...GROUND,
  'src/documents',
  'src/ledger',
  'src/pace',
  'src/portfolio',
  'src/queue',
  'src/service',
  'src/table',
];

/**
 * Who may import whom, types included (ARCHITECTURE.md, "Floors"). A file belongs to the part with the longest name that it
 * begins with, and a file that belongs to none may not exist. A part may always import itself, but not its sub-parts.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'src/errors.ts': [],
  'src/config.ts': [
    'src/errors.ts',
    'src/log.ts',
    'src/proxy.ts',
    'src/data-folder.ts',
    'src/given-settings.ts',
    'src/setting-names.ts',
  ],
  'src/data-folder.ts': ['src/errors.ts'],
  'src/given-settings.ts': ['src/errors.ts'],
  'src/setting-names.ts': ['src/likeness.ts'],
  'src/log.ts': ['src/errors.ts', 'src/line-writer.ts'],
  'src/line-writer.ts': [],
  'src/lua-script.ts': [],
  'src/proxy.ts': ['src/errors.ts'],
  'src/files': ['src/errors.ts'],
  'src/counted.ts': [],
  'src/money-text.ts': [],
  'src/call-kind.ts': [],
  'src/answer-headers.ts': [],
  'src/outcome.ts': [],
  'src/likeness.ts': [],
  'src/actor.ts': [],
  'src/resource-ids.ts': [],
  'src/redis': [...GROUND, 'src/redis/own'],
  'src/redis/own': [...GROUND, 'src/redis/server-info.ts'],
  'src/service': GROUND,
  'src/table': GROUND,
  'src/documents': GROUND,
  'src/portfolio/problem.ts': [],
  'src/portfolio/values': GROUND,
  'src/portfolio/columns': [...GROUND, 'src/table', 'src/portfolio/problem.ts', 'src/portfolio/values'],
  'src/portfolio/identity': [...GROUND, 'src/table', 'src/portfolio/values', 'src/portfolio/columns'],
  'src/portfolio/lines': [
    ...GROUND,
    'src/table',
    'src/documents',
    'src/portfolio/problem.ts',
    'src/portfolio/values',
    'src/portfolio/columns',
    'src/portfolio/identity',
  ],
  'src/portfolio/results': [
    ...GROUND,
    'src/table',
    'src/portfolio/problem.ts',
    'src/portfolio/values',
    'src/portfolio/columns',
    'src/portfolio/identity',
    'src/portfolio/lines',
  ],
  'src/portfolio': [...GROUND, 'src/table', 'src/documents', 'src/portfolio'],
  'src/pace': GROUND,
  'src/ledger': GROUND,
  'src/queue': GROUND,
  'src/stand-in': [...GROUND, 'src/service/schemas.ts'],
  'src/console': [...GROUND, 'src/ledger', 'src/portfolio', 'src/queue', 'src/pace', 'src/console/assets'],
  // What browsers load.
  'src/console/assets': [],
  'src/metrics': [...GROUND, 'src/ledger', 'src/pace'],
  'src/context.ts': [
    ...GROUND,
    'src/documents',
    'src/ledger',
    'src/pace',
    'src/portfolio/identity',
    'src/queue',
    'src/redis',
    'src/service',
  ],
  'jobs/rows': FOR_JOBS,
  'jobs/steps': [...FOR_JOBS, 'jobs/rows'],
  'jobs/import': [...FOR_JOBS, 'jobs/rows', 'jobs/steps'],
  'jobs/preview': [...FOR_JOBS, 'jobs/rows', 'jobs/import'],
  'jobs/drafts': [...FOR_JOBS, 'jobs/rows', 'jobs/import', 'jobs/preview'],
  'jobs/export': [...FOR_JOBS, 'jobs/rows'],
  'jobs/operators': [...FOR_JOBS, 'jobs/rows', 'jobs/steps'],
  'jobs/story': [...FOR_JOBS, 'jobs/rows', 'jobs/steps', 'jobs/export', 'jobs/operators'],
  'jobs/plans': [...FOR_JOBS, 'jobs/rows', 'jobs/operators'],
  'jobs/recover': [...FOR_JOBS, 'jobs/rows', 'jobs/import'],
  'jobs/nightly': [...FOR_JOBS, 'jobs/rows'],
  'jobs/index.ts': ['jobs'],
  'jobs/workers': [...FOR_JOBS, 'src/context.ts', 'jobs/index.ts', 'jobs/operators', 'jobs/rows', 'jobs/steps'],
  scripts: ['src', 'jobs', 'examples', 'package.json', 'node_modules/.cache', '.'],
  'scripts/bench': ['src', 'jobs', 'scripts'],
};

/** What of a part that may be imported is its own all the same: how a step sends a call. */
const PRIVATE: Record<string, readonly string[]> = {
  'jobs/steps/call-once.ts': ['jobs/steps'],
  'jobs/steps/unauthorized.ts': ['jobs/steps'],
};

/** Which packages of others are imported, and where. What is not in this table may not be imported at all. */
const PACKAGES: Record<string, readonly string[]> = {
  '@bull-board/api': ['src/console'],
  '@bull-board/fastify': ['src/console'],
  '@fastify/cookie': ['src/console'],
  '@fastify/csrf-protection': ['src/console'],
  '@fastify/formbody': ['src/console', 'src/stand-in'],
  '@fastify/helmet': ['src/console'],
  '@fastify/multipart': ['src/console'],
  '@fastify/rate-limit': ['src/console'],
  '@fastify/sse': ['src/console'],
  '@fastify/static': ['src/console'],
  'big.js': ['src/ledger', 'src/portfolio', 'src/table', 'jobs/operators', 'jobs/plans'],
  bullmq: ['src/queue', 'scripts/bench/peers'],
  commander: ['scripts'],
  'csv-parse': ['src/table', 'scripts/bench'],
  'csv-stringify': ['src/table'],
  fastify: ['src/console', 'src/stand-in'],
  'file-type': ['src/documents'],
  'i18n-iso-countries': ['src/portfolio'],
  'iconv-lite': ['src/table'],
  ioredis: ['src/redis', 'scripts/bench'],
  pino: ['src/log.ts'],
  'pino-pretty': ['src/log.ts'],
  'playwright-core': ['scripts/bench'],
  'prom-client': ['src/metrics'],
  saxes: ['src/table'],
  undici: ['src/service', 'scripts/bench/peers'],
  yauzl: ['src/documents', 'src/files', 'src/table'],
  yazl: ['src/table'],
  zod: ['src/config.ts', 'src/files', 'src/portfolio', 'src/service', 'src/stand-in', 'jobs', 'scripts'],
};
/** Where only the types of a package may be imported. */
const PACKAGE_TYPES: Record<string, readonly string[]> = {
  ioredis: ['src/lua-script.ts'],
};

/** Files in which something is imported whose name is known at run time only, and why that is no way around the floors. */
const COMPUTED: Record<string, string> = {
  'src/portfolio/values/countries.ts': 'the names of countries, a file a language, from one package',
  'src/console/assets/script/console.js': 'what a page names is a file of its own folder, and runs in a browser',
  'scripts/up/child.ts': 'starts the command line as processes of their own',
  'scripts/bench/csv.ts': 'starts itself as another process',
};

const MAX_LINES = 300;

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
  /** A file or folder of ours, or undefined where a package is imported. */
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

/** The part of the house that a file belongs to. */
function partOf(file: string): string | undefined {
  const names = Object.keys(MAY_IMPORT).filter((name) => within(file, name));
  return names.sort((a, b) => b.length - a.length)[0];
}

function mayImport(from: string, to: string): boolean {
  const part = partOf(from);
  if (part === undefined || (to in PRIVATE && !withinAny(from, PRIVATE[to]))) return false;
  return partOf(to) === part || withinAny(to, MAY_IMPORT[part]);
}

/** What is wrong, a line each. */
const said = (arrows: readonly Arrow[]) =>
  arrows.map(({ from, to, specifier }) => `${from} imports ${to ?? specifier}`);

describe('floors', () => {
  test('every source file is of a kind whose imports are seen here', () => {
    expect(SOURCES.filter((file) => !READABLE.test(file))).toEqual([]);
  });

  test('every source file belongs to a part, and everything of ours that is named here exists', () => {
    expect(SOURCES.filter((file) => partOf(file) === undefined)).toEqual([]);
    const named = [MAY_IMPORT, PRIVATE, COMPUTED].flatMap((table) => Object.keys(table));
    const places = [MAY_IMPORT, PRIVATE, PACKAGES, PACKAGE_TYPES].flatMap((table) => Object.values(table).flat());
    const ours = [...named, ...places].filter((name) => withinAny(name, HOUSE));
    expect(ours.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  });

  test('imports go downward only', () => {
    expect(said(ARROWS.filter(({ from, to }) => to !== undefined && !mayImport(from, to)))).toEqual([]);
  });

  test('whatever is imported of ours exists', () => {
    const ours = ARROWS.filter(({ to }) => to !== undefined && withinAny(to, HOUSE));
    expect(ours.length).toBeGreaterThan(SOURCES.length);
    expect(said(ours.filter(({ to = '' }) => !existsSync(join(ROOT, to))))).toEqual([]);
  });

  test('the name of what is imported is written out, or begins with the folder that it is in', () => {
    const inFolder = ({ how, specifier }: Arrow) => how === 'new URL' && specifier.endsWith('/');
    const computed = ARROWS.filter((arrow) => arrow.isComputed && !inFolder(arrow));
    expect([...new Set(computed.map(({ from }) => from))].sort()).toEqual(Object.keys(COMPUTED).sort());
  });

  test('no file imports itself by way of others', () => {
    const imports = new Map(SOURCES.map((file) => [file, [] as string[]]));
    for (const { from, to } of ARROWS) if (to !== undefined && imports.has(to)) imports.get(from)?.push(to);
    expect(circlesOf(imports)).toEqual([]);
  });
});

describe('packages', () => {
  const ofOthers = ARROWS.filter(({ to, specifier }) => to === undefined && specifier !== '' && !isBuiltin(specifier));

  test('a package is imported only by the parts that it is for', () => {
    const wrong = ofOthers.filter((arrow) => {
      const name = packageOf(arrow);
      const types = arrow.isTypeOnly ? PACKAGE_TYPES[name] : undefined;
      return !withinAny(arrow.from, PACKAGES[name]) && !withinAny(arrow.from, types);
    });
    expect(said(wrong)).toEqual([]);
  });

  test('every package that is named here is imported', () => {
    const imported = new Set(ofOthers.map(packageOf));
    expect(Object.keys(PACKAGES).filter((name) => !imported.has(name))).toEqual([]);
  });

  test('what is delivered needs no package that only developing needs', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const delivered = ofOthers.filter(({ from }) => !within(from, 'scripts/bench'));
    expect(said(delivered.filter((arrow) => !Object.hasOwn(dependencies, packageOf(arrow))))).toEqual([]);
  });
});

test(`no file is longer than ${MAX_LINES} lines`, () => {
  const files = filesIn(...HOUSE, 'test').filter((file) => READABLE.test(file));
  const linesOf = (file: string) => readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n').length;
  expect(files.filter((file) => linesOf(file) > MAX_LINES).sort()).toEqual([]);
});

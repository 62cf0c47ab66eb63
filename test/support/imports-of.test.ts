import { describe, expect, test } from 'vitest';
import { circlesOf, type Import, importsOf, packageOf, targetOf } from './imports-of.ts';

const CREATE = `import { createRequire } from 'node:module'; `;

/** A source and the imports in it: how, the specifier, and whether it is `type` or `computed`. */
const SOURCES: [text: string, ...found: [how: Import['how'], specifier: string, kind?: 'type' | 'computed'][]][] = [
  [`import { a } from './a.ts';`, ['import', './a.ts']],
  [`import './a.ts';`, ['import', './a.ts']],
  [`import a, * as b from "./a.ts";`, ['import', './a.ts']],
  [`import {\n  a,\n  b,\n} from\n  './a.ts';`, ['import', './a.ts']],
  [`import codes from 'codes/codes.json' with { type: 'json' };`, ['import', 'codes/codes.json']],
  [`import type { A } from './a.ts';`, ['import', './a.ts', 'type']],
  [`import { type A } from './a.ts';`, ['import', './a.ts']],
  [`export { a } from './a.ts';`, ['export', './a.ts']],
  [`export * from './a.ts';`, ['export', './a.ts']],
  [`export * as a from './a.ts';`, ['export', './a.ts']],
  [`export type { A } from './a.ts';`, ['export', './a.ts', 'type']],
  [`export type * from './a.ts';`, ['export', './a.ts', 'type']],
  [`type A = import('./a.ts').A;`, ['import()', './a.ts', 'type']],
  [`const a = {} as typeof import('a');`, ['import()', 'a', 'type']],
  [`const load = () => import('./a.ts');`, ['import()', './a.ts']],
  ['await import(`./a.ts`);', ['import()', './a.ts']],
  [`await import(\`./a/\${name}.ts\`);`, ['import()', './a/', 'computed']],
  [`await import(name);`, ['import()', '', 'computed']],
  [`await import('./a/' + name);`, ['import()', '', 'computed']],
  [`import a = require('./a.cjs');`, ['require', './a.cjs']],
  [`${CREATE}createRequire(import.meta.url)('a');`, ['import', 'node:module'], ['require', 'a']],
  [
    `${CREATE}const load = createRequire(import.meta.url); load('./a.cjs'); load.resolve('b');`,
    ['import', 'node:module'],
    ['require', './a.cjs'],
    ['require', 'b'],
  ],
  [
    `import { createRequire as make } from 'node:module'; const load = make(import.meta.url); load(\`a/\${b}.json\`);`,
    ['import', 'node:module'],
    ['require', 'a/', 'computed'],
  ],
  [
    `import * as m from 'node:module'; m.createRequire(import.meta.url)(name);`,
    ['import', 'node:module'],
    ['require', '', 'computed'],
  ],
  [`new URL('./lua/a.lua', import.meta.url);`, ['new URL', './lua/a.lua']],
  [`new URL(\`./lua/\${name}.lua\`, import.meta.url);`, ['new URL', './lua/', 'computed']],
  [`new URL(name, import.meta.url);`, ['new URL', '', 'computed']],
  [`new URL('/path', 'https://example.com');`],
  [`import.meta.resolve('./a.ts');`, ['import.meta', './a.ts']],
  [`import.meta.resolve(name);`, ['import.meta', '', 'computed']],
  [`join(import.meta.dirname, 'a.ts');`, ['import.meta', '', 'computed']],
  [`const here = import.meta.url;`, ['import.meta', '', 'computed']],
  [`// import { a } from './a.ts';\nconst text = "import { a } from './a.ts'";`],
];

/** The same for files that are not TypeScript. */
const OTHERS: [path: string, text: string, ...found: [how: Import['how'], specifier: string][]][] = [
  ['a.mjs', `import { a } from './b.mjs';`, ['import', './b.mjs']],
  [
    'a.cjs',
    `#!/bin/sh\n':' //; exec node "$0"\nvar a = require('./b.cjs'); return import('./c.ts');`,
    ['require', './b.cjs'],
    ['import()', './c.ts'],
  ],
  [
    'a.lua',
    '-- @include b\n-- @include ../other/c\nlocal d = 1 -- @include e\n',
    ['@include', 'b'],
    ['@include', '../other/c'],
  ],
];

describe('importsOf', () => {
  test.each(SOURCES)('finds the imports of %s', (text, ...found) => {
    expect(importsOf('a.ts', text)).toEqual(
      found.map(([how, specifier, kind]) => ({
        how,
        specifier,
        isTypeOnly: kind === 'type',
        isComputed: kind === 'computed',
      })),
    );
  });

  test.each(OTHERS)('finds the imports of %s: %s', (path, text, ...found) => {
    expect(importsOf(path, text).map(({ how, specifier }) => [how, specifier])).toEqual(found);
  });

  test('throws for a text that cannot be parsed', () => {
    expect(() => importsOf('a.ts', 'import { a } fro')).toThrow('a.ts cannot be read');
  });
});

describe('the target of an import', () => {
  test.each<[how: Import['how'], specifier: string, target: string | undefined]>([
    ['import', './b.ts', 'src/part/b.ts'],
    ['import()', '../other/b.ts', 'src/other/b.ts'],
    ['require', './b.cjs', 'src/part/b.cjs'],
    ['import', '..', 'src'],
    ['import', '/etc/b.ts', '../etc/b.ts'],
    ['import', 'csv-parse/sync', undefined],
    ['import', 'node:fs', undefined],
    ['new URL', 'lua/b.lua', 'src/part/lua/b.lua'],
    ['new URL', './lua/', 'src/part/lua'],
    ['new URL', '../..', '.'],
    ['new URL', '../../..', '..'],
    ['import.meta', './b.ts', 'src/part/b.ts'],
    ['@include', 'b', 'src/part/b.lua'],
    ['@include', '../other/b', 'src/other/b.lua'],
  ])('from src/part/a by %s of "%s" is %s', (how, specifier, target) => {
    expect(targetOf('src/part/a', { how, specifier, isTypeOnly: false, isComputed: false })).toBe(target);
  });

  test.each([
    ['csv-parse', 'csv-parse'],
    ['csv-parse/sync', 'csv-parse'],
    ['@fastify/formbody', '@fastify/formbody'],
    ['@fastify/formbody/types', '@fastify/formbody'],
    ['#inside', '#inside'],
  ])('"%s" is in the package %s', (specifier, name) => {
    expect(packageOf({ how: 'import', specifier, isTypeOnly: false, isComputed: false })).toBe(name);
  });
});

test.each<[imports: Record<string, string[]>, circles: string[][]]>([
  [{ a: ['b'], b: ['c'], c: [] }, []],
  [{ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, []],
  [{ a: ['a'] }, [['a']]],
  [{ b: ['a'], a: ['b'] }, [['a', 'b']]],
  [{ a: ['b'], b: ['c'], c: ['d', 'a'], d: [] }, [['a', 'b', 'c']]],
  [
    { x: ['a'], a: ['b'], b: ['a', 'c'], c: ['d'], d: ['c'] },
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
])('the import cycles of %j are %j', (imports, circles) => {
  expect(circlesOf(new Map(Object.entries(imports)))).toEqual(circles);
});

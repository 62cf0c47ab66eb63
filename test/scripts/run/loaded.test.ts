import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, packageOf, targetOf } from '../../support/imports-of.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Everything that Node loads before `run` does anything: source files, packages and parts of Node. */
function loadedByRun(): { files: string[]; packages: string[]; builtins: string[] } {
  const files = new Set<string>(['scripts/limitline.ts', 'scripts/commands/run.ts']);
  const others = new Set<string>();
  for (const file of files) {
    for (const found of importsOf(file, readFileSync(join(ROOT, file), 'utf8'))) {
      if (found.isTypeOnly || (found.how !== 'import' && found.how !== 'export')) continue;
      const target = targetOf(file, found);
      if (target !== undefined) files.add(target);
      else others.add(found.specifier.startsWith('node:') ? found.specifier : packageOf(found));
    }
  }
  const isBuiltin = (name: string) => name.startsWith('node:');
  return {
    files: [...files],
    packages: [...others].filter((name) => !isBuiltin(name)).sort(),
    builtins: [...others].filter(isBuiltin),
  };
}

const { files, packages, builtins } = loadedByRun();

test('run loads only these packages at its start', () => {
  expect(files.length).toBeGreaterThan(200);
  expect(packages).toEqual([
    'big.js',
    'bullmq',
    'commander',
    'csv-parse',
    'i18n-iso-countries',
    'iconv-lite',
    'ioredis',
    'pino',
    'undici',
    'yauzl',
    'zod',
  ]);
});

test('run does not load modules that few runs need, or that none needs before its end', () => {
  const late =
    /^(src\/(console|stand-in\/|metrics|people\/people\.ts|notices\/outbox)|jobs\/export|scripts\/(console|report|run\/conclude|look\/look\.ts))/;
  expect(files.filter((file) => late.test(file))).toEqual([]);
});

test('run loads neither the http module of Node nor all of undici', () => {
  expect(builtins.filter((name) => /^node:https?$/.test(name))).toEqual([]);
  const withUndici = files.filter((file) => /from 'undici'/.test(readFileSync(join(ROOT, file), 'utf8')));
  const asValue = (file: string) =>
    importsOf(file, readFileSync(join(ROOT, file), 'utf8')).some(
      ({ specifier, isTypeOnly }) => specifier === 'undici' && !isTypeOnly,
    );
  expect(withUndici.filter(asValue)).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, packageOf, targetOf } from '../../support/imports-of.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** What Node loads before `run` does anything: files of ours, packages and parts of Node. */
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

test('run starts with these packages, and no others keep its first call waiting', () => {
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

test('run starts without what few runs need, or none before their end', () => {
  const late =
    /^(src\/(console|stand-in\/|metrics|people\/people\.ts|notices\/outbox)|jobs\/export|scripts\/(console|report|run\/conclude|look\/look\.ts))/;
  expect(files.filter((file) => late.test(file))).toEqual([]);
});

test("run starts without Node's own http, which brings a second undici with it, and without all of ours", () => {
  expect(builtins.filter((name) => /^node:https?$/.test(name))).toEqual([]);
  const withUndici = files.filter((file) => /from 'undici'/.test(readFileSync(join(ROOT, file), 'utf8')));
  const asValue = (file: string) =>
    importsOf(file, readFileSync(join(ROOT, file), 'utf8')).some(
      ({ specifier, isTypeOnly }) => specifier === 'undici' && !isTypeOnly,
    );
  expect(withUndici.filter(asValue)).toEqual([]);
});

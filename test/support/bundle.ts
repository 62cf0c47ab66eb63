import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '../..');

/** Beside the packages, because the bundle finds unbundled packages from there. */
const FOLDER = join(ROOT, 'node_modules/.cache/limitline-bundle');
const KEY_FILE = join(FOLDER, 'key');

/** The scripts that tests start hundreds of times. */
const ENTRIES = {
  limitline: 'scripts/limitline.ts',
  start: 'scripts/start.ts',
  bench: 'test/bench/main.ts',
  'bench-pace': 'test/bench/pace.ts',
  'archive-process': 'test/support/archive-process.ts',
  'audit-writer': 'test/support/audit-writer.ts',
  'deliver-process': 'test/support/deliver-process.ts',
  'lock-process': 'test/support/redis/lock-process.ts',
  'night-process': 'test/support/night-process.ts',
  'secret-process': 'test/support/secret-process.ts',
  'user-process': 'test/support/redis/user-process.ts',
  'worker-process': 'test/support/worker-process.ts',
};

/** The folders with the sources of the bundles. */
const SOURCES = ['src', 'jobs', 'scripts', 'test/bench', 'test/support'];

/** Packages that look for files beside their own code. */
const LEFT_OUT = [/^@bull-board\//];

/** The path of a bundled script. It starts in half of the time that its thousand source files take. */
export function bundled(entry: keyof typeof ENTRIES): string {
  return join(FOLDER, `${entry}.mjs`);
}

/**
 * Bundles the scripts when a source has changed. The bundles differ from the sources only in their place, so tests see
 * what users see. Some tests of starting use the sources.
 */
export async function bundleScripts(): Promise<void> {
  const key = keyOfSources();
  if (readIfThere(KEY_FILE) === key) return;
  const build = await rolldown({
    cwd: ROOT,
    input: ENTRIES,
    platform: 'node',
    external: LEFT_OUT,
    logLevel: 'silent',
    plugins: [{ name: 'own place', transform: placeOf }],
  });
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' };
  // Without comments and spaces, a process starts in an eighth less time.
  const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };
  // The code that most commands load is one file, because each file costs a search, a read and a link.
  const codeSplitting = { groups: [{ name: 'shared', minShareCount: 40 }] };
  const { output } = await build.generate({ ...names, minify, codeSplitting });
  await build.close();
  mkdirSync(FOLDER, { recursive: true });
  for (const file of output) write(file.fileName, file.type === 'chunk' ? file.code : file.source);
  write('key', key);
}

/**
 * A source finds the files beside it, such as its Lua files, in their original place, and the bench finds the bundled
 * command line.
 */
function placeOf(code: string, path: string): string | undefined {
  if (!code.includes('import.meta') || relative(ROOT, path).startsWith('node_modules')) return undefined;
  return code
    .replaceAll(/'\.\.\/limitline\.c?[tj]s'/g, JSON.stringify(bundled('limitline')))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
}

/**
 * Writes a file atomically, and only when it changed: another run of the tests may use it, and compiled code stays
 * valid.
 */
function write(name: string, text: string | Uint8Array): void {
  const path = join(FOLDER, name);
  if (readIfThere(path) === text) return;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

function keyOfSources(): string {
  const files = SOURCES.flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' }).map((name) => join(top, name)),
  );
  const hash = createHash('sha256').update(ROOT);
  for (const name of ['package-lock.json', ...files.sort()]) {
    const { size, mtimeMs } = statSync(join(ROOT, name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

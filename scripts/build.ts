import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { ROOT, readCommit } from '../src/version.ts';

/**
 * Compiles the package's code into `dist`: JavaScript of all that the command imports, with declarations and source maps, and
 * copies of files that are read at run time, such as Lua, styles and page scripts. `npm test` checks the types.
 */
const DIST = join(ROOT, 'dist');

rmSync(DIST, { recursive: true, force: true });
// With one thread, tsc takes two thirds of the CPU time that it takes with four.
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json', '--singleThreaded'], { cwd: ROOT, stdio: 'inherit' });
if (status === 0) {
  cpSync(join(ROOT, 'src'), join(DIST, 'src'), { recursive: true, filter: (path) => !path.endsWith('.ts') });
  for (const path of globSync('src/**/*.lua', { cwd: DIST })) withoutComments(join(DIST, path));
  for (const path of globSync('**/*.js.map', { cwd: DIST })) withLinesAlone(join(DIST, path));
  writeFileSync(join(DIST, 'src/commit.txt'), readCommit() ?? '');
}
process.exitCode = status ?? 1;

/** Blanks a Lua file's comments but those that the loader reads, such as `-- @keys`. The numbers of the lines stay, for errors of Redis. */
function withoutComments(path: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^[ \t]*--(?! @).*$/gm, ''));
}

/**
 * Keeps the lines of a source map and drops its columns, which are most of its size. The package has no sources, so a map only
 * names the file and line of an error.
 */
function withLinesAlone(path: string): void {
  const map = JSON.parse(readFileSync(path, 'utf8'));
  const mappings = encode(decode(map.mappings).map((segments) => segments.slice(0, 1)));
  writeFileSync(path, JSON.stringify({ ...map, mappings }));
}

import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readCommit } from '../src/version.ts';

/**
 * Builds what a package has in place of the sources, into `dist`: JavaScript of all that the command imports, with declarations and
 * source maps, and beside it what is read at run time, such as Lua, styles and scripts of pages. Types are checked by `npm test`.
 */
const DIST = join(ROOT, 'dist');

rmSync(DIST, { recursive: true, force: true });
// One thread takes two thirds of the processor time of four.
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json', '--singleThreaded'], { cwd: ROOT, stdio: 'inherit' });
if (status === 0) {
  cpSync(join(ROOT, 'src'), join(DIST, 'src'), { recursive: true, filter: (path) => !path.endsWith('.ts') });
  writeFileSync(join(DIST, 'src/commit.txt'), readCommit() ?? '');
}
process.exitCode = status ?? 1;

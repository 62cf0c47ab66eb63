import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const SETUP = readFileSync(join(REPOSITORY, 'scripts/setup.mjs'), 'utf8');
/** The Node version of the set-up, in the form of `node --version`. */
export const NODE_VERSION = `v${/NODE_VERSION = '(.*)'/.exec(SETUP)?.[1]}`;

/** The PATH of the machine without the repository: a set-up begins when nothing of it is installed. */
export const MACHINE_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((dir) => !dir.endsWith('node_modules/.bin'))
  .join(delimiter);

export type Ended = { code: number | null; stdout: string; stderr: string };

/**
 * Copies the files of the repository that a set-up reads into a new folder, with a command that prints its Node
 * version.
 */
export function makeClone(): string {
  const clone = realpathSync(mkdtempSync(join(tmpdir(), 'limitline-clone-')));
  for (const name of ['scripts', 'scripts/setup', 'tmp']) mkdirSync(join(clone, name));
  const scripts = ['scripts/setup.mjs', 'scripts/setup/lock.mjs', 'scripts/limitline.cjs'];
  const copied = ['package.json', 'package-lock.json', '.npmrc', ...scripts];
  for (const name of copied) {
    copyFileSync(join(REPOSITORY, name), join(clone, name));
  }
  const command = ['const args: string[] = process.argv.slice(2);', 'console.log(process.version, args.join());'];
  writeFileSync(join(clone, 'scripts/limitline.ts'), `${command.join('\n')}\n`);
  return clone;
}

/** Reduces the lock file of a clone to one development package without dependencies. */
export function keepDependency(clone: string, name: string): void {
  const [own, locked] = ['package.json', 'package-lock.json'].map((file) =>
    JSON.parse(readFileSync(join(clone, file), 'utf8')),
  );
  const path = `node_modules/${name}`;
  const { dependencies: _, ...manifest } = own;
  const kept = { ...manifest, devDependencies: { [name]: locked.packages[path].version } };
  const packages = { '': { ...kept, scripts: undefined }, [path]: locked.packages[path] };
  writeFileSync(join(clone, 'package.json'), JSON.stringify(kept));
  writeFileSync(join(clone, 'package-lock.json'), JSON.stringify({ ...locked, packages }));
}

/** A folder that serves as the whole PATH: links to programs of the machine, and shell scripts that replace others. */
export function makeProgramFolder(clone: string, names: string[], scripts: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(clone, 'programs-'));
  for (const name of [...names, 'sh', 'echo', 'mkdir', 'ln', 'touch', 'chmod']) {
    // A new enough Node. Other tests cover an older one.
    const places = name === 'node' ? [dirname(process.execPath)] : MACHINE_PATH.split(delimiter);
    const place = places.find((dir) => existsSync(join(dir, name)));
    if (place) symlinkSync(join(place, name), join(folder, name));
  }
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Whether the lock of a set-up in this clone names this process. */
export function isLockedBy(pid: number, clone: string): boolean {
  const temporary = join(clone, 'tmp');
  const locks = readdirSync(temporary).flatMap((name) => {
    const folder = join(temporary, name);
    return name.startsWith('limitline-setup-') ? readdirSync(folder).map((lock) => join(folder, lock)) : [];
  });
  return locks.some((path) => readFileSync(path, 'utf8').split(' ').includes(String(pid)));
}

/** An npm that refuses `ci`, as with a lock file that lacks some systems, and an apt-get that installs at once. */
export function makeInstalling(clone: string, { redis = true, apt = true } = {}): string {
  const folder = makeProgramFolder(clone, redis ? ['node', 'redis-server'] : ['node'], {
    npm: `
      echo "$*" >> ${clone}/calls
      if [ "$1" = ci ]; then echo "npm error code EUSAGE"; exit 1; fi
      mkdir -p ${clone}/node_modules/.bin`,
  });
  if (apt) {
    writeFileSync(
      join(folder, 'apt-get'),
      `#!/bin/sh\n[ "$1 $2" = "install -y" ] && touch ${folder}/$3 && chmod 755 ${folder}/$3\n`,
    );
    chmodSync(join(folder, 'apt-get'), 0o755);
  }
  return folder;
}

export function setUp(clone: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  return run('node', ['scripts/setup.mjs', '--tests'], { cwd: clone, env: inClone(clone, env) });
}

/** Files that a set-up leaves in the temporary folder are deleted with the clone. The set-up finds a browser. */
export function inClone(clone: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { TMPDIR: join(clone, 'tmp'), CHROMIUM_PATH: process.execPath, ...env };
}

type Options = { cwd: string; env?: NodeJS.ProcessEnv };

export function run(command: string, args: string[], options: Options): Promise<Ended> {
  return ended(start(command, args, options));
}

/** Uses the PATH of the machine, without settings of this test run or of the npm that started it. */
export function start(command: string, args: string[], { cwd, env }: Options) {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_|^REDIS_URL$|^VITEST/.test(name));
  const whole = { ...Object.fromEntries(own), PATH: MACHINE_PATH, ...env };
  return spawn(command, args, { cwd, env: whole, stdio: ['ignore', 'pipe', 'pipe'] });
}

export async function ended(child: ReturnType<typeof start>): Promise<Ended> {
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

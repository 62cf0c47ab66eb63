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
/** The Node that a set-up brings, as `node --version` says it. */
export const NODE_VERSION = `v${/NODE_VERSION = '(.*)'/.exec(SETUP)?.[1]}`;

/** The machine's own programs: a set-up begins where nothing of the repository is installed yet. */
export const MACHINE_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((dir) => !dir.endsWith('node_modules/.bin'))
  .join(delimiter);

export type Ended = { code: number | null; stdout: string; stderr: string };

/** What a set-up reads of the repository, in a folder of its own, with a command that says what runs it. */
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

/** Leaves a clone one of the packages that its lock file names: to develop, and one that needs no other. */
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

/** A folder to be all of the PATH: links to the machine's programs, and shell scripts in place of others. */
export function makeProgramFolder(clone: string, names: string[], scripts: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(clone, 'programs-'));
  for (const name of [...names, 'sh', 'echo', 'mkdir', 'ln', 'touch', 'chmod']) {
    // One that is new enough: whether an older one is helped has tests of its own.
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

/** Whether a lock of a set-up of this clone names a process. */
export function isLockedBy(pid: number, clone: string): boolean {
  const temporary = join(clone, 'tmp');
  const locks = readdirSync(temporary).flatMap((name) => {
    const folder = join(temporary, name);
    return name.startsWith('limitline-setup-') ? readdirSync(folder).map((lock) => join(folder, lock)) : [];
  });
  return locks.some((path) => readFileSync(path, 'utf8').split(' ').includes(String(pid)));
}

/** An npm that refuses `ci` as a lock file without all systems makes it do, and an apt-get that installs at once. */
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

/** What a set-up leaves in the temporary folder goes away with the clone. A browser is there, as far as it can see. */
export function inClone(clone: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { TMPDIR: join(clone, 'tmp'), CHROMIUM_PATH: process.execPath, ...env };
}

type Options = { cwd: string; env?: NodeJS.ProcessEnv };

export function run(command: string, args: string[], options: Options): Promise<Ended> {
  return ended(start(command, args, options));
}

/** With the machine's PATH and without the settings of this test run and of the npm that may have started it. */
export function start(command: string, args: string[], { cwd, env }: Options) {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_|^REDIS_URL$|^VITEST/.test(name));
  const whole = { ...Object.fromEntries(own), PATH: MACHINE_PATH, ...env };
  return spawn(command, args, { cwd, env: whole, stdio: ['ignore', 'pipe', 'pipe'] });
}

export async function ended(child: ReturnType<typeof start>): Promise<Ended> {
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const NODE_VERSION = `v${JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')).dependencies.node}`;

/** The machine's own programs: a set-up begins where nothing of the repository is installed yet. */
const MACHINE_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((dir) => !dir.endsWith('node_modules/.bin'))
  .join(delimiter);

describe('a fresh clone', () => {
  let clone: string;
  let first: Ended[];

  beforeAll(async () => {
    clone = makeClone();
    // Everything was fetched once already, when these tests were set up.
    first = await Promise.all([0, 1, 2].map(() => setUp(clone, { npm_config_prefer_offline: 'true' })));
  }, 300_000);
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  test('is set up once by set-ups that start together; the others wait and find it done', () => {
    expect(
      first.map(({ code, stderr }) => ({ code, stderr })).sort((a, b) => b.stderr.length - a.stderr.length),
    ).toEqual([
      { code: 0, stderr: 'limitline: installing dependencies …\nlimitline: linking the command …\n' },
      ...[1, 2].map(() => ({
        code: 0,
        stderr: expect.stringMatching(/^limitline: waiting for another set-up \(process \d+\) …\n$/),
      })),
    ]);
    expect(existsSync(join(clone, 'node_modules/vitest'))).toBe(true);
  });

  test('has then nothing missing, which is said by silence, also without npm and without a network', async () => {
    const path = makeProgramFolder(clone, ['node', 'redis-server']);
    expect(await setUp(clone, { PATH: path })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('runs the command under Node 24, from any folder in it', async () => {
    const called = await run('npx', ['limitline', 'check', 'a file'], { cwd: join(clone, 'scripts') });
    expect(called).toMatchObject({ code: 0, stdout: `${NODE_VERSION} check,a file\n` });
    expect(readlinkSync(join(clone, 'node_modules/.bin/limitline'))).toBe('../../scripts/limitline.cjs');
  });

  test('runs the command under Node 24, though another is first on the PATH', async () => {
    const path = makeProgramFolder(clone, [], { node: 'echo "an old Node"' });
    const called = await run(join(clone, 'node_modules/.bin/limitline'), ['a b'], { cwd: clone, env: { PATH: path } });
    expect(called).toMatchObject({ code: 0, stdout: `${NODE_VERSION} a b\n` });
  });

  test('gets back what was lost: the command, and a Node that install scripts did not bring', async () => {
    unlinkSync(join(clone, 'node_modules/.bin/limitline'));
    unlinkSync(join(clone, 'node_modules/node/bin/node'));
    expect(await setUp(clone, { npm_config_ignore_scripts: 'true' })).toEqual({
      code: 0,
      stdout: '',
      stderr: `limitline: fetching Node ${NODE_VERSION.slice(1)} …\nlimitline: linking the command …\n`,
    });
    expect((await run(join(clone, 'node_modules/.bin/node'), ['--version'], { cwd: clone })).stdout).toBe(
      `${NODE_VERSION}\n`,
    );
  });
});

describe('with other programs on the PATH', () => {
  let clone: string;

  beforeEach(() => {
    clone = makeClone();
  });
  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  test('what npm says is shown when it fails, and only then, and it is tried again the next time', async () => {
    const path = makeProgramFolder(clone, ['node', 'redis-server'], {
      npm: 'echo "npm was called with $*"; echo "no network" >&2; exit 7',
    });
    const said = expect.stringMatching(
      /^limitline: installing dependencies …\nnpm was called with ci --include=dev .*\nno network\nlimitline: npm could not install .*\n$/,
    );
    expect(await setUp(clone, { PATH: path })).toEqual({ code: 1, stdout: '', stderr: said });
    expect(await setUp(clone, { PATH: path })).toEqual({ code: 1, stdout: '', stderr: said });
  });

  test('a lock file that npm ci refuses is installed as it is, and one that changed is installed anew', async () => {
    const path = makeInstalling(clone);
    const calls = join(clone, 'calls');
    await setUp(clone, { PATH: path });
    expect(readFileSync(calls, 'utf8')).toMatch(/^ci --include=dev .*\ninstall --no-save --include=dev .*\n$/);
    expect(await setUp(clone, { PATH: path })).toEqual({ code: 0, stdout: '', stderr: '' });
    appendFileSync(join(clone, 'package-lock.json'), '\n');
    expect(await setUp(clone, { PATH: path })).toMatchObject({
      code: 0,
      stderr: 'limitline: installing dependencies …\n',
    });
  });

  test('a killed set-up is waited for as long as its npm works, and then made up for', async () => {
    const pidFile = join(clone, 'npm.pid');
    const hanging = makeProgramFolder(clone, ['node', 'redis-server', 'sleep', 'mv'], {
      npm: `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600`,
    });
    const killed = start('node', ['scripts/setup.mjs'], { cwd: clone, env: inClone(clone, { PATH: hanging }) });
    await vi.waitUntil(() => existsSync(pidFile), { timeout: 60_000 });
    const npmPid = Number(readFileSync(pidFile, 'utf8'));
    // Its npm may be quicker than it notes whom it has begun.
    await vi.waitUntil(() => isLockedBy(npmPid, clone), { timeout: 60_000 });
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const next = start('node', ['scripts/setup.mjs'], {
      cwd: clone,
      env: inClone(clone, { PATH: makeInstalling(clone) }),
    });
    const [firstWords] = await once(next.stderr, 'data');
    expect(String(firstWords)).toBe(`limitline: waiting for another set-up (process ${npmPid}) …\n`);
    process.kill(npmPid, 'SIGKILL');
    expect(await ended(next)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^limitline: installing dependencies …\n/),
    });
  });

  test('a missing Redis is installed where that can be done, and asked for elsewhere', async () => {
    const path = makeInstalling(clone, { redis: false });
    const isRoot = process.getuid?.() === 0;
    const ended = await setUp(clone, { PATH: path });
    expect(ended).toMatchObject(
      isRoot
        ? { code: 0, stderr: expect.stringMatching(/limitline: installing redis-server …\n$/) }
        : { code: 1, stderr: expect.stringMatching(/limitline: no redis-server .*install.* or set REDIS_URL\n$/) },
    );
  });

  test('a browser for the tests is installed where that can be done, and never a reason to fail', async () => {
    const installing = { PATH: makeInstalling(clone), CHROMIUM_PATH: '' };
    // `npm start` needs none.
    expect(await run('node', ['scripts/setup.mjs'], { cwd: clone, env: inClone(clone, installing) })).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('chromium'),
    });
    const isRoot = process.getuid?.() === 0;
    const words = isRoot ? '' : 'limitline: no chromium is on the PATH; the tests in a browser will not run: .*\n';
    expect(await setUp(clone, installing)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(new RegExp(`^limitline: installing chromium …\n${words}$`)),
    });
    if (isRoot) expect(readdirSync(installing.PATH)).toContain('chromium-headless-shell');
    const failing = makeProgramFolder(clone, ['node', 'redis-server'], { 'apt-get': 'exit 100' });
    expect(await setUp(clone, { PATH: failing, CHROMIUM_PATH: '' })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/chromium; the tests in a browser will not run: .*\n$|no chromium is on the PATH/),
    });
  });

  test.runIf(process.getuid?.() === 0)(
    'where there is no browser without windows, one with them is installed',
    async () => {
      const path = makeInstalling(clone);
      const plain = makeProgramFolder(clone, [], {
        'apt-get': `[ "$3" = chromium ] || exit 100; exec ${join(path, 'apt-get')} "$@"`,
      });
      const ended = await setUp(clone, { PATH: `${plain}:${path}`, CHROMIUM_PATH: '' });
      expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^limitline: installing chromium …\n$/m) });
      expect(ended.stderr).not.toContain('will not run');
      expect(readdirSync(path)).toContain('chromium');
    },
  );

  test.each([
    ['the environment', { REDIS_URL: 'redis://elsewhere' }, ''],
    ['.env', {}, 'LOG_LEVEL=info\nREDIS_URL="redis://elsewhere" # ours\n'],
    ['a mounted file', {}, 'REDIS_URL_FILE=/run/secrets/redis\n'],
  ])('no Redis is needed where %s names one', async (_name, env, dotenv) => {
    writeFileSync(join(clone, '.env'), dotenv);
    expect(await setUp(clone, { PATH: makeInstalling(clone, { redis: false, apt: false }), ...env })).toMatchObject({
      code: 0,
    });
  });

  test.each([
    ['the environment, over .env', { REDIS_URL: '' }, 'REDIS_URL=redis://elsewhere\n'],
    ['.env', {}, '# REDIS_URL=redis://elsewhere\nREDIS_URL=""\n'],
  ])('an empty address in %s is none', async (_name, env, dotenv) => {
    writeFileSync(join(clone, '.env'), dotenv);
    expect(await setUp(clone, { PATH: makeInstalling(clone, { redis: false, apt: false }), ...env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no redis-server or valkey-server is on the PATH'),
    });
  });
});

type Ended = { code: number | null; stdout: string; stderr: string };

/** What a set-up reads of the repository, in a folder of its own, with a command that says what runs it. */
function makeClone(): string {
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

/** A folder to be all of the PATH: links to the machine's programs, and shell scripts in place of others. */
function makeProgramFolder(clone: string, names: string[], scripts: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(clone, 'programs-'));
  for (const name of [...names, 'sh', 'echo', 'mkdir', 'ln', 'touch', 'chmod']) {
    const place = MACHINE_PATH.split(delimiter).find((dir) => existsSync(join(dir, name)));
    if (place) symlinkSync(join(place, name), join(folder, name));
  }
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Whether a lock of a set-up of this clone names a process. */
function isLockedBy(pid: number, clone: string): boolean {
  const temporary = join(clone, 'tmp');
  const locks = readdirSync(temporary).flatMap((name) => {
    const folder = join(temporary, name);
    return name.startsWith('limitline-setup-') ? readdirSync(folder).map((lock) => join(folder, lock)) : [];
  });
  return locks.some((path) => readFileSync(path, 'utf8').split(' ').includes(String(pid)));
}

/** An npm that refuses `ci` as a lock file without all systems makes it do, and an apt-get that installs at once. */
function makeInstalling(clone: string, { redis = true, apt = true } = {}): string {
  const folder = makeProgramFolder(clone, redis ? ['node', 'redis-server'] : ['node'], {
    npm: `
      echo "$*" >> ${clone}/calls
      if [ "$1" = ci ]; then echo "npm error code EUSAGE"; exit 1; fi
      mkdir -p ${clone}/node_modules/.bin && ln -sf ${REPOSITORY}/node_modules/.bin/node ${clone}/node_modules/.bin/node`,
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

function setUp(clone: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  return run('node', ['scripts/setup.mjs', '--tests'], { cwd: clone, env: inClone(clone, env) });
}

/** What a set-up leaves in the temporary folder goes away with the clone. A browser is there, as far as it can see. */
function inClone(clone: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { TMPDIR: join(clone, 'tmp'), CHROMIUM_PATH: process.execPath, ...env };
}

type Options = { cwd: string; env?: NodeJS.ProcessEnv };

function run(command: string, args: string[], options: Options): Promise<Ended> {
  return ended(start(command, args, options));
}

/** With the machine's PATH and without the settings of this test run and of the npm that may have started it. */
function start(command: string, args: string[], { cwd, env }: Options) {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_|^REDIS_URL$|^VITEST/.test(name));
  const whole = { ...Object.fromEntries(own), PATH: MACHINE_PATH, ...env };
  return spawn(command, args, { cwd, env: whole, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function ended(child: ReturnType<typeof start>): Promise<Ended> {
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

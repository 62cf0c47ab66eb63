import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type Ended,
  ended,
  inClone,
  isLockedBy,
  keepDependency,
  MACHINE_PATH,
  makeClone,
  makeInstalling,
  makeProgramFolder,
  NODE_VERSION,
  run,
  setUp,
  start,
} from '../support/set-up.ts';

const MACHINE_NODE = execFileSync('node', ['--version'], { encoding: 'utf8', env: { PATH: MACHINE_PATH } }).trim();
/** Whether the set-up installs a Node on this machine. */
const IS_OLD = Number.parseInt(MACHINE_NODE.slice(1), 10) < Number.parseInt(NODE_VERSION.slice(1), 10);
const FETCHING = `limitline: fetching Node ${NODE_VERSION.slice(1)} …\n`;
/** A package that has a command and needs no other package. */
const SAMPLE = 'nanoid';

describe('a fresh clone', () => {
  let clone: string;
  let first: Ended[];

  beforeAll(async () => {
    clone = makeClone();
    // A single package shows that npm installs what the lock file names; `npm test` installs all of them.
    keepDependency(clone, SAMPLE);
    first = await Promise.all([0, 1, 2].map(() => setUp(clone, { npm_config_prefer_offline: 'true' })));
  }, 300_000);
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  test('is set up once by set-ups that start together; the others wait for it', () => {
    expect(
      first.map(({ code, stderr }) => ({ code, stderr })).sort((a, b) => b.stderr.length - a.stderr.length),
    ).toEqual([
      {
        code: 0,
        stderr: `limitline: installing dependencies …\n${IS_OLD ? FETCHING : ''}limitline: linking the command …\n`,
      },
      ...[1, 2].map(() => ({
        code: 0,
        stderr: expect.stringMatching(/^limitline: waiting for another set-up \(process \d+\) …\n$/),
      })),
    ]);
    expect(existsSync(join(clone, 'node_modules', SAMPLE))).toBe(true);
  });

  test('needs nothing further afterwards: the next set-up is silent, also without npm and network', async () => {
    const path = makeProgramFolder(clone, ['node', 'redis-server']);
    expect(await setUp(clone, { PATH: path })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('runs the command under Node 24 or later from any folder in it', async () => {
    const called = await run('npx', ['limitline', 'check', 'a file'], { cwd: join(clone, 'scripts') });
    expect(called).toMatchObject({ code: 0, stdout: `${IS_OLD ? NODE_VERSION : MACHINE_NODE} check,a file\n` });
    expect(readlinkSync(join(clone, 'node_modules/.bin/limitline'))).toBe('../../scripts/limitline.cjs');
  });

  // Promise: own-node
  test.runIf(IS_OLD)('runs the command under Node 24 when another Node is first on the PATH', async () => {
    const path = makeProgramFolder(clone, [], { node: 'echo "an old Node"' });
    const called = await run(join(clone, 'node_modules/.bin/limitline'), ['a b'], { cwd: clone, env: { PATH: path } });
    expect(called).toMatchObject({ code: 0, stdout: `${NODE_VERSION} a b\n` });
  });
});

describe('with other programs on the PATH', () => {
  let clone: string;

  beforeEach(() => {
    clone = makeClone();
  });
  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  test('the output of npm is shown only when it fails, and the next set-up tries again', async () => {
    const path = makeProgramFolder(clone, ['node', 'redis-server'], {
      npm: 'echo "npm was called with $*"; echo "no network" >&2; exit 7',
    });
    const said = expect.stringMatching(
      /^limitline: installing dependencies …\nnpm was called with ci --include=dev .*\nno network\nlimitline: npm could not install .*\n$/,
    );
    expect(await setUp(clone, { PATH: path })).toEqual({ code: 1, stdout: '', stderr: said });
    expect(await setUp(clone, { PATH: path })).toEqual({ code: 1, stdout: '', stderr: said });
  });

  test('a lock file that npm ci refuses is installed by npm install, and a changed lock file is installed again', async () => {
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

  test('npm installs a newer Node without scripts when the machine has an older one, and its output is shown on failure', async () => {
    const folder = `${clone}/node_modules/.node`;
    const brought = `${folder}/node_modules/node-${process.platform}-${process.arch}/bin`;
    const npmThat = (does: string) =>
      makeProgramFolder(clone, ['node', 'redis-server'], {
        npm: `if [ "$1" = ci ]; then mkdir -p ${clone}/node_modules/.bin; exit; fi
        echo "$*" >> ${clone}/calls; ${does}`,
      });
    expect(await setUp(clone, { PATH: npmThat('exit 7') })).toMatchObject({ code: 0 });
    expect([join(clone, 'calls'), join(clone, 'node_modules/.bin/node')].filter((path) => existsSync(path))).toEqual(
      [],
    );

    const pretend = join(clone, 'older.cjs');
    writeFileSync(pretend, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });\n");
    const older = { NODE_OPTIONS: `--require ${pretend}` };
    expect(await setUp(clone, { ...older, PATH: npmThat('echo no network; exit 7') })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^limitline: fetching Node [\d.]+ …\nno network\nlimitline: npm could not install node-\w+-\w+@[\d.]+; install Node .*\n$/,
      ),
    });
    const works = npmThat(
      `mkdir -p ${brought}; echo "#!/bin/sh" > ${brought}/node; echo "echo ${NODE_VERSION}" >> ${brought}/node; chmod 755 ${brought}/node`,
    );
    expect(await setUp(clone, { ...older, PATH: works })).toMatchObject({ code: 0, stderr: FETCHING });
    expect(await setUp(clone, { ...older, PATH: npmThat('exit 7') })).toEqual({ code: 0, stdout: '', stderr: '' });
    // A lost command and a lost Node are restored.
    unlinkSync(join(clone, 'node_modules/.bin/limitline'));
    rmSync(folder, { recursive: true });
    expect(await setUp(clone, { ...older, PATH: works })).toEqual({
      code: 0,
      stdout: '',
      stderr: `${FETCHING}limitline: linking the command …\n`,
    });
    const wanted = `node-${process.platform}-${process.arch}@${NODE_VERSION.slice(1)}`;
    expect(readFileSync(join(clone, 'calls'), 'utf8')).toBe(
      `install --prefix ${folder} --no-save --loglevel=error ${wanted}\n`.repeat(3),
    );
  });

  test('a set-up waits for the npm of a killed set-up, and then repeats its work', async () => {
    const pidFile = join(clone, 'npm.pid');
    const hanging = makeProgramFolder(clone, ['node', 'redis-server', 'sleep', 'mv'], {
      npm: `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600`,
    });
    const killed = start('node', ['scripts/setup.mjs'], { cwd: clone, env: inClone(clone, { PATH: hanging }) });
    await vi.waitUntil(() => existsSync(pidFile), { timeout: 60_000 });
    const npmPid = Number(readFileSync(pidFile, 'utf8'));
    // npm may write its pid before the set-up has written npm's id into the lock.
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

  test('a missing Redis is installed by root, and asked for otherwise', async () => {
    const path = makeInstalling(clone, { redis: false });
    const isRoot = process.getuid?.() === 0;
    const ended = await setUp(clone, { PATH: path });
    expect(ended).toMatchObject(
      isRoot
        ? { code: 0, stderr: expect.stringMatching(/limitline: installing redis-server …\n$/) }
        : { code: 1, stderr: expect.stringMatching(/limitline: no redis-server .*install.* or set REDIS_URL\n$/) },
    );
  });

  test('a browser for the tests is installed by root, and its absence is no failure', async () => {
    const installing = { PATH: makeInstalling(clone), CHROMIUM_PATH: '' };
    // `npm start` needs no browser.
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

  test.runIf(process.getuid?.() === 0)('a full Chromium is installed when there is no headless one', async () => {
    const path = makeInstalling(clone);
    const plain = makeProgramFolder(clone, [], {
      'apt-get': `[ "$3" = chromium ] || exit 100; exec ${join(path, 'apt-get')} "$@"`,
    });
    const ended = await setUp(clone, { PATH: `${plain}:${path}`, CHROMIUM_PATH: '' });
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^limitline: installing chromium …\n$/m) });
    expect(ended.stderr).not.toContain('will not run');
    expect(readdirSync(path)).toContain('chromium');
  });

  test.each([
    ['the environment', { REDIS_URL: 'redis://elsewhere' }, ''],
    ['.env', {}, 'LOG_LEVEL=info\nREDIS_URL="redis://elsewhere" # ours\n'],
    ['a mounted file', {}, 'REDIS_URL_FILE=/run/secrets/redis\n'],
  ])('no Redis is needed when %s names one', async (_name, env, dotenv) => {
    writeFileSync(join(clone, '.env'), dotenv);
    expect(await setUp(clone, { PATH: makeInstalling(clone, { redis: false, apt: false }), ...env })).toMatchObject({
      code: 0,
    });
  });

  test('no Redis is needed to build the package', async () => {
    const env = inClone(clone, { PATH: makeInstalling(clone, { redis: false, apt: false }) });
    expect(await run('node', ['scripts/setup.mjs', '--build'], { cwd: clone, env })).toMatchObject({ code: 0 });
  });

  test.each([
    ['the environment, over .env', { REDIS_URL: '' }, 'REDIS_URL=redis://elsewhere\n'],
    ['.env', {}, '# REDIS_URL=redis://elsewhere\nREDIS_URL=""\n'],
  ])('an empty REDIS_URL in %s counts as none', async (_name, env, dotenv) => {
    writeFileSync(join(clone, '.env'), dotenv);
    expect(await setUp(clone, { PATH: makeInstalling(clone, { redis: false, apt: false }), ...env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no redis-server or valkey-server is on the PATH'),
    });
  });
});

/**
 * The steps of `git pull && npm run setup` (docs/deployment.md, "Upgrade") on a machine with Node 20. npm puts
 * node_modules/.bin in front of the PATH, so the set-up runs under the Node that it installed earlier.
 * `npm ci` deletes that Node.
 */
test('a clone on a machine with an older Node has a newer Node again after its dependencies were reinstalled', async () => {
  const clone = makeClone();
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  const bin = join(clone, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, join(bin, 'node'));
  const brought = `${clone}/node_modules/.node/node_modules/node-${process.platform}-${process.arch}/bin`;
  const programs = makeProgramFolder(clone, ['redis-server', 'rm'], {
    node: 'echo v20.20.2',
    npm: `if [ "$1" = ci ]; then rm -rf ${clone}/node_modules; mkdir -p ${bin}; exit; fi
      mkdir -p ${brought}; echo "#!/bin/sh" > ${brought}/node; echo "echo ${NODE_VERSION}" >> ${brought}/node; chmod 755 ${brought}/node`,
  });
  const env = inClone(clone, { PATH: [bin, programs].join(delimiter) });
  const setUp = await run('node', ['scripts/setup.mjs'], { cwd: clone, env });
  expect(setUp.code).toBe(0);
  expect(existsSync(join(bin, 'node'))).toBe(true);
  // This is what systemd and cron start.
  const version = await run('node', ['--version'], { cwd: clone, env });
  expect(version.stdout).toBe(`${NODE_VERSION}\n`);
});

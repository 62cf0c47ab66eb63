/**
 * Sets up what a clone lacks: dependencies, Node 24 where the machine's is older, the command, a Redis. Silent and quick when
 * nothing is missing. Runs before `npm start`, `npm test` and `npm run build`, and by `npm run setup`.
 *
 * Plain JavaScript for Node 18 and later, because it runs on the machine's own Node before anything is installed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readIfThere, underLock } from './setup/lock.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIN = join(ROOT, 'node_modules', '.bin');

/** The Node that is installed where the machine's own is older than `engines` in package.json. */
const NODE_VERSION = '24.21.0';
/** The package with Node for this system: npm has one for each system, without an install script. */
const NODE_PACKAGE = `node-${process.platform.replace('win32', 'win')}-${process.arch}`;
const NODE = join(BIN, 'node');
/** The folder of the installed Node. It begins with a dot, so that npm does not take it for a package and leaves it alone. */
const NODE_FOLDER = join(ROOT, 'node_modules', '.node');

/** Records the lock file and the platform of installed dependencies, because folders get copied into containers. */
const STAMP_FILE = join(ROOT, 'node_modules', '.limitline-setup');
const STAMP = `${process.platform} ${process.arch} ${hashOf(join(ROOT, 'package-lock.json'))}`;

/** Names of browsers that the tests can use. */
const CHROMIUM_NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

const COMMAND = join(ROOT, 'scripts', 'limitline.cjs');
const COMMAND_LINK = join(BIN, 'limitline');
const COMMAND_LINK_TARGET = '../../scripts/limitline.cjs';

/** Whether Node was installed here before this set-up began. */
const WAS_BROUGHT = existsSync(NODE);

/** The steps of the set-up, in an order in which each follows those that it needs. */
const STEPS = [
  { name: 'installing dependencies', isDone: hasDependencies, run: installDependencies },
  { name: `fetching Node ${NODE_VERSION}`, isDone: hasNode, run: fetchNode },
  { name: 'linking the command', isDone: hasCommand, run: linkCommand },
  // Building the package needs no Redis.
  ...(process.argv.includes('--build')
    ? []
    : [{ name: 'installing redis-server', isDone: hasRedis, run: installRedis }]),
  // Only for tests, and never a fault: without a browser, tests that need one report that they did not run.
  ...(process.argv.includes('--tests')
    ? [{ name: 'installing chromium', isDone: hasChromium, run: installChromium }]
    : []),
];

try {
  if (!STEPS.every((step) => step.isDone())) await underLock(setUp, { root: ROOT, say });
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

/** @param {(pid: number) => void} onChild called for every child process */
async function setUp(onChild) {
  // Another set-up may have done some steps while this one waited for the lock.
  for (const { name, isDone, run } of STEPS) {
    if (isDone()) continue;
    say(`${name} …`);
    await run(onChild);
  }
}

function hasDependencies() {
  return readIfThere(STAMP_FILE) === STAMP;
}

async function installDependencies(onChild) {
  // Includes dev dependencies, so that `npm test` works even with NODE_ENV=production.
  let result = await npm(['ci', '--include=dev', '--loglevel=error'], onChild);
  if (result.output.includes('EUSAGE')) {
    // A lock file names only those optional packages of other systems that the registry had when it was written, and `npm ci`
    // refuses that (npm/cli#4828). `npm install` installs the same versions.
    result = await npm(['install', '--no-save', '--include=dev', '--loglevel=error'], onChild);
  }
  if (result.code !== 0) throw fault(result, 'npm could not install the dependencies (see what it says above)');
  writeFileSync(STAMP_FILE, STAMP);
}

/**
 * The version that the installed Node states, or `missing` if it cannot be run. Running it takes 6 ms, and the file may be for another
 * platform.
 */
function nodeVersion() {
  try {
    return execFileSync(NODE, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'missing';
  }
}

/** Whether npm scripts and the command have a Node that is new enough: the one installed here or, if there is none, the machine's. */
function hasNode() {
  // `npm ci` has removed the installed Node, which still runs this set-up, and the machine's own Node is older.
  if (WAS_BROUGHT && !existsSync(NODE)) return false;
  if (existsSync(NODE)) return nodeVersion() === `v${NODE_VERSION}`;
  return Number.parseInt(process.versions.node, 10) >= Number.parseInt(NODE_VERSION, 10);
}

async function fetchNode(onChild) {
  const wanted = `${NODE_PACKAGE}@${NODE_VERSION}`;
  const result = await npm(['install', '--prefix', NODE_FOLDER, '--no-save', '--loglevel=error', wanted], onChild);
  rmSync(NODE, { force: true });
  symlinkSync(`../.node/node_modules/${NODE_PACKAGE}/bin/node`, NODE);
  if (nodeVersion() === `v${NODE_VERSION}`) return;
  rmSync(NODE, { force: true });
  throw fault(result, `npm could not install ${wanted}; install Node ${NODE_VERSION} or later, and try again`);
}

function hasCommand() {
  try {
    return readlinkSync(COMMAND_LINK) === COMMAND_LINK_TARGET && isExecutable(COMMAND);
  } catch {
    return false;
  }
}

/** Makes the link by which the command is called. The command uses the Node beside this link, whatever is on the PATH. */
function linkCommand() {
  chmodSync(COMMAND, 0o755);
  const draft = `${COMMAND_LINK}.${process.pid}`;
  symlinkSync(COMMAND_LINK_TARGET, draft);
  renameSync(draft, COMMAND_LINK);
}

function hasRedis() {
  return hasRedisUrl() || isOnPath('redis-server') || isOnPath('valkey-server');
}

/** Whether REDIS_URL is set. As in src/given-settings.ts, the environment wins over `.env`, and an empty value counts as none. */
function hasRedisUrl() {
  const { REDIS_URL, REDIS_URL_FILE } = process.env;
  if (REDIS_URL !== undefined || REDIS_URL_FILE !== undefined)
    return `${REDIS_URL ?? ''}${REDIS_URL_FILE ?? ''}`.trim() !== '';
  const dotenv = readIfThere(join(ROOT, '.env')) ?? '';
  return [...dotenv.matchAll(/^\s*(?:export\s+)?REDIS_URL(?:_FILE)?\s*=\s*(.*)$/gm)].some(
    ([, value]) =>
      value
        .replace(/^(['"`])(.*)\1.*$/, '$2')
        .replace(/^#.*/, '')
        .trim() !== '',
  );
}

async function installRedis(onChild) {
  const hints = { darwin: 'brew install redis', linux: 'on Debian and Ubuntu: sudo apt-get install redis-server' };
  if (!isOnPath('apt-get') || process.getuid?.() !== 0) {
    const hint = hints[process.platform] ?? 'version 7.0 or later';
    throw new Error(`no redis-server or valkey-server is on the PATH; install one (${hint}), or set REDIS_URL`);
  }
  const result = await aptInstall(['redis-server'], onChild);
  if (result.code !== 0 || !hasRedis())
    throw fault(result, 'apt-get could not install redis-server (see what it says above)');
  // Under systemd (sd_booted(3) tells whether it runs), RUNLEVEL has no effect, so the service that was started is ended.
  if (isDirectory('/run/systemd/system')) await run('systemctl', ['disable', '--now', 'redis-server'], onChild);
}

/** Whether a Chromium for the tests is found, as test/support/browser/chromium-path.ts finds it. */
function hasChromium() {
  const { CHROMIUM_PATH } = process.env;
  return CHROMIUM_PATH ? isExecutable(CHROMIUM_PATH) : CHROMIUM_NAMES.some(isOnPath);
}

async function installChromium(onChild) {
  const left = 'the tests in a browser will not run: install chromium, or name one in CHROMIUM_PATH';
  if (!isOnPath('apt-get') || process.getuid?.() !== 0) return say(`no chromium is on the PATH; ${left}`);
  // First tries Chromium without windows: smaller and cheaper to run, but not available on every system.
  await aptInstall(['chromium-headless-shell'], onChild);
  if (hasChromium()) return;
  const result = await aptInstall(['chromium'], onChild);
  if (result.code !== 0 || !hasChromium()) say(`apt-get could not install chromium; ${left}`);
}

/** Installs packages, and updates the package lists if that fails. */
async function aptInstall(packages, onChild) {
  // With this RUNLEVEL, no service is started, so that nothing listens on port 6379.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const install = () => run('apt-get', ['install', '-y', ...packages], onChild, env);
  const result = await install();
  if (result.code === 0) return result;
  // Fresh containers have no package lists, and old ones list versions that are gone.
  await run('apt-get', ['update'], onChild, env);
  return install();
}

/** Runs npm on the machine's own Node, because the Node in node_modules is about to be replaced. */
function npm(args, onChild) {
  const path = (process.env.PATH ?? '').split(delimiter).filter((dir) => resolve(dir) !== BIN);
  return run('npm', args, onChild, { ...process.env, PATH: path.join(delimiter) });
}

/** Runs a program and collects its output. A program that cannot be started answers like one that failed. */
function run(command, args, onChild, env = process.env) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid) onChild(child.pid);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', (error) => done({ code: 1, output: `${error.message}\n` }));
    child.on('close', (code) => done({ code, output }));
  });
}

function fault({ output }, sentence) {
  process.stderr.write(output);
  return new Error(sentence);
}

function say(sentence) {
  process.stderr.write(`limitline: ${sentence}\n`);
}

function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function isOnPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((dir) => dir !== '' && isExecutable(join(dir, name)));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isDirectory(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

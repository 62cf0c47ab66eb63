/**
 * Sets up what a clone of this repository lacks: dependencies, Node 24 where the machine's is older, the command, a Redis. Silent and
 * quick when nothing is missing. Called before `npm start`, `npm test` and `npm run build`, and by `npm run setup`.
 *
 * Plain JavaScript for Node 18 and later, since it runs on whatever the machine has, before anything is installed.
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
import { underLock } from './setup/lock.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIN = join(ROOT, 'node_modules', '.bin');

/** What is brought where the machine's own Node is older than `engines` of package.json asks for. */
const NODE_VERSION = '24.21.0';
/** npm has the program of each system as a package, which needs no install script. */
const NODE_PACKAGE = `node-${process.platform.replace('win32', 'win')}-${process.arch}`;
const NODE = join(BIN, 'node');
/** A dot before its name: npm takes it for no package of the project's, and leaves it. */
const NODE_FOLDER = join(ROOT, 'node_modules', '.node');

/** What the dependencies were installed from, and for which kind of machine: folders get copied into containers. */
const STAMP_FILE = join(ROOT, 'node_modules', '.limitline-setup');
const STAMP = `${process.platform} ${process.arch} ${hashOf(join(ROOT, 'package-lock.json'))}`;

/** What browsers that the tests can use are called. */
const CHROMIUM_NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

const COMMAND = join(ROOT, 'scripts', 'limitline.cjs');
const COMMAND_LINK = join(BIN, 'limitline');
const COMMAND_LINK_TARGET = '../../scripts/limitline.cjs';

/** Whether a Node was brought before this set-up began. */
const WAS_BROUGHT = existsSync(NODE);

/** In this order: each finds what it needs made by those before it. */
const STEPS = [
  { name: 'installing dependencies', isDone: hasDependencies, run: installDependencies },
  { name: `fetching Node ${NODE_VERSION}`, isDone: hasNode, run: fetchNode },
  { name: 'linking the command', isDone: hasCommand, run: linkCommand },
  // Who builds the package runs nothing.
  ...(process.argv.includes('--build')
    ? []
    : [{ name: 'installing redis-server', isDone: hasRedis, run: installRedis }]),
  // For the tests alone, and never a reason to fail: without one those that need a browser say that they did not run.
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

/** @param {(pid: number) => void} onChild is told of every process that works for us */
async function setUp(onChild) {
  // Another set-up may have done some of it while this one waited for the lock.
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
  // Dev dependencies always: `npm test` works on a machine that calls itself production.
  let result = await npm(['ci', '--include=dev', '--loglevel=error'], onChild);
  if (result.output.includes('EUSAGE')) {
    // A lock file names only those packages for other systems that the registry had when it was written, and `npm ci`
    // takes their absence for a disagreement (npm/cli#4828). `npm install` keeps to the same versions without that.
    result = await npm(['install', '--no-save', '--include=dev', '--loglevel=error'], onChild);
  }
  if (result.code !== 0) throw fault(result, 'npm could not install the dependencies (see what it says above)');
  writeFileSync(STAMP_FILE, STAMP);
}

/** Asked, since it may be there and be for another kind of machine; that takes some 6 ms. */
function nodeVersion() {
  try {
    return execFileSync(NODE, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'missing';
  }
}

/** npm scripts and the command run on the Node that was brought, wherever there is one. */
function hasNode() {
  // `npm ci` took it away, and this set-up runs on it: what the machine has by itself is older.
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

/** The command finds the Node that lies beside the link, whatever is on the PATH. */
function linkCommand() {
  chmodSync(COMMAND, 0o755);
  const draft = `${COMMAND_LINK}.${process.pid}`;
  symlinkSync(COMMAND_LINK_TARGET, draft);
  renameSync(draft, COMMAND_LINK);
}

function hasRedis() {
  return hasRedisUrl() || isOnPath('redis-server') || isOnPath('valkey-server');
}

/** As src/given-settings.ts reads it: the environment goes before `.env`, and an empty value is none. */
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
  // systemd has no run levels, and started it: sd_booted(3) says where it is in charge.
  if (isDirectory('/run/systemd/system')) await run('systemctl', ['disable', '--now', 'redis-server'], onChild);
}

/** As test/support/browser/chromium-path.ts finds it. */
function hasChromium() {
  const { CHROMIUM_PATH } = process.env;
  return CHROMIUM_PATH ? isExecutable(CHROMIUM_PATH) : CHROMIUM_NAMES.some(isOnPath);
}

async function installChromium(onChild) {
  const left = 'the tests in a browser will not run: install chromium, or name one in CHROMIUM_PATH';
  if (!isOnPath('apt-get') || process.getuid?.() !== 0) return say(`no chromium is on the PATH; ${left}`);
  // The same browser without windows: smaller, and cheaper to run. Not every system has it.
  await aptInstall(['chromium-headless-shell'], onChild);
  if (hasChromium()) return;
  const result = await aptInstall(['chromium'], onChild);
  if (result.code !== 0 || !hasChromium()) say(`apt-get could not install chromium; ${left}`);
}

/** Installs packages, after an update where they are not known. */
async function aptInstall(packages, onChild) {
  // RUNLEVEL: in this one no service is started, so nothing of ours listens on port 6379.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const install = () => run('apt-get', ['install', '-y', ...packages], onChild, env);
  const result = await install();
  if (result.code === 0) return result;
  // Fresh containers know of no packages yet, and old ones of versions that are gone.
  await run('apt-get', ['update'], onChild, env);
  return install();
}

/** Under the machine's own Node: the one in node_modules is about to be replaced. */
function npm(args, onChild) {
  const path = (process.env.PATH ?? '').split(delimiter).filter((dir) => resolve(dir) !== BIN);
  return run('npm', args, onChild, { ...process.env, PATH: path.join(delimiter) });
}

/** Runs a program to its end and keeps what it says; one that cannot be run answers like one that failed. */
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

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
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

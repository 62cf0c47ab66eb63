/**
 * Sets up what a clone of this repository lacks: dependencies, Node 24, the command, a Redis. Silent and quick when
 * nothing is missing. Called before `npm start` and `npm test`, and by `npm run setup`.
 *
 * Plain JavaScript for Node 18 and later, since it runs on whatever the machine has, before anything is installed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  appendFileSync,
  chmodSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIN = join(ROOT, 'node_modules', '.bin');
const NODE_VERSION = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies.node;

/** What the dependencies were installed from, and for which kind of machine: folders get copied into containers. */
const STAMP_FILE = join(ROOT, 'node_modules', '.limitline-setup');
const STAMP = `${process.platform} ${process.arch} ${hashOf(join(ROOT, 'package-lock.json'))}`;

const COMMAND = join(ROOT, 'scripts', 'limitline.cjs');
const COMMAND_LINK = join(BIN, 'limitline');
const COMMAND_LINK_TARGET = '../../scripts/limitline.cjs';

/** Much longer than npm takes; then the process that the lock names is another by now, under a number used again. */
const LOCK_PATIENCE_MS = 600_000;

/** In this order: each finds what it needs made by those before it. */
const STEPS = [
  { name: 'installing dependencies', isDone: hasDependencies, run: installDependencies },
  { name: `fetching Node ${NODE_VERSION}`, isDone: hasNode, run: fetchNode },
  { name: 'linking the command', isDone: hasCommand, run: linkCommand },
  { name: 'installing redis-server', isDone: hasRedis, run: installRedis },
];

try {
  if (!STEPS.every((step) => step.isDone())) await underLock(setUp);
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
    return execFileSync(join(BIN, 'node'), ['--version'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'missing';
  }
}

function hasNode() {
  return nodeVersion() === `v${NODE_VERSION}`;
}

/** The package `node` brings its program by an install script; it stays away where those are turned off. */
async function fetchNode(onChild) {
  const result = await npm(['rebuild', 'node', '--ignore-scripts=false', '--loglevel=error'], onChild);
  if (hasNode()) return;
  const remedy = 'allow the install script of the npm package "node", delete node_modules and try again';
  throw fault(result, `node_modules/.bin/node is ${nodeVersion()} instead of v${NODE_VERSION}; ${remedy}`);
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
  // RUNLEVEL: in this one no service is started, so nothing of ours listens on port 6379.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const install = () => run('apt-get', ['install', '-y', 'redis-server'], onChild, env);
  let result = await install();
  if (result.code !== 0) {
    // Fresh containers know of no packages yet, and old ones of versions that are gone.
    await run('apt-get', ['update'], onChild, env);
    result = await install();
  }
  if (result.code !== 0 || !hasRedis())
    throw fault(result, 'apt-get could not install redis-server (see what it says above)');
  // systemd has no run levels, and started it: sd_booted(3) says where it is in charge.
  if (isDirectory('/run/systemd/system')) await run('systemctl', ['disable', '--now', 'redis-server'], onChild, env);
}

/**
 * Runs `work` while no other set-up of this clone does. The lock is the highest numbered file: taken while one of the
 * processes that it names lives. To take it is to create the next number, which only one can; none is ever deleted,
 * so that nobody deletes a lock that another has just taken. (The same as in src/redis/own/lock.ts, for Node 18.)
 */
async function underLock(work) {
  const folder = lockFolder();
  const draft = join(folder, `draft.${process.pid}`);
  writeFileSync(draft, String(process.pid));
  const lock = await takeLock(folder, draft).finally(() => rmSync(draft, { force: true }));
  try {
    // npm lives on when we are killed, and two of them at once would spoil each other's work.
    await work((pid) => appendFileSync(lock, ` ${pid}`));
  } finally {
    writeFileSync(lock, '');
  }
}

async function takeLock(folder, draft) {
  let waited = false;
  for (const since = Date.now(); Date.now() - since < LOCK_PATIENCE_MS; await sleep(100)) {
    const numbers = readdirSync(folder).map((name) => Number(/^lock\.(\d+)$/.exec(name)?.[1] ?? 0));
    const last = Math.max(0, ...numbers);
    const holders = (readIfThere(join(folder, `lock.${last}`)) ?? '').split(' ').filter(isRunning);
    if (holders.length === 0) {
      const lock = join(folder, `lock.${last + 1}`);
      if (link(draft, lock)) return lock;
    } else if (!waited) {
      say(`waiting for another set-up (process ${holders[0]}) …`);
      waited = true;
    }
  }
  throw new Error(`another set-up has not ended for ${LOCK_PATIENCE_MS / 60_000} minutes; end it, or delete ${folder}`);
}

/** Beside the clone's own folders, since npm empties node_modules, and a data folder may come to belong to another user. */
function lockFolder() {
  const user = process.getuid?.() ?? 0;
  const folder = join(
    tmpdir(),
    `limitline-setup-${user}-${createHash('sha256').update(ROOT).digest('hex').slice(0, 12)}`,
  );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (lstatSync(folder).uid !== user) throw new Error(`${folder} belongs to somebody else; delete it, or set TMPDIR`);
  return folder;
}

function link(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isRunning(pid) {
  try {
    return pid !== '' && process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
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

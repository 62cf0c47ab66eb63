import { createHash } from 'node:crypto';
import {
  appendFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Much longer than npm takes; then the process that the lock names is another by now, under a number used again. */
const LOCK_PATIENCE_MS = 600_000;

/**
 * Runs `work` while no other set-up of this clone does. The lock is the highest numbered file: taken while one of the
 * processes that it names lives. To take it is to create the next number, which only one can; none is ever deleted,
 * so that nobody deletes a lock that another has just taken. (The same as in src/redis/own/lock.ts, for Node 18.)
 *
 * @param {(onChild: (pid: number) => void) => Promise<void>} work is to tell of every process that works for it
 */
export async function underLock(work, { root, say }) {
  const folder = lockFolder(root);
  const draft = join(folder, `draft.${process.pid}`);
  writeFileSync(draft, String(process.pid));
  const lock = await takeLock(folder, draft, say).finally(() => rmSync(draft, { force: true }));
  try {
    // npm lives on when we are killed, and two of them at once would spoil each other's work.
    await work((pid) => appendFileSync(lock, ` ${pid}`));
  } finally {
    writeFileSync(lock, '');
  }
}

async function takeLock(folder, draft, say) {
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
function lockFolder(root) {
  const user = process.getuid?.() ?? 0;
  const folder = join(
    tmpdir(),
    `limitline-setup-${user}-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`,
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

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

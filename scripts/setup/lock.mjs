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

/** How long to wait for another set-up: much longer than npm takes. After that, its number probably belongs to another process. */
const LOCK_PATIENCE_MS = 600_000;

/**
 * Runs `work` under this clone's lock for set-ups. The lock is the file with the highest number, held while a process that it
 * names lives. Taking it means creating the next number, which only one process can. Files are never deleted, so that nobody
 * deletes a lock just taken. (Like src/files/lock.ts, for Node 18.)
 *
 * @param {(onChild: (pid: number) => void) => Promise<void>} work must report every child process
 */
export async function underLock(work, { root, say }) {
  const folder = lockFolder(root);
  const draft = join(folder, `draft.${process.pid}`);
  writeFileSync(draft, String(process.pid));
  const lock = await takeLock(folder, draft, say).finally(() => rmSync(draft, { force: true }));
  try {
    // npm survives when this process is killed, and two npm processes at once would damage the folder.
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

/**
 * The folder of this clone's locks. It is outside the clone: npm empties node_modules, and a data folder may come to belong to another
 * user.
 */
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

/** The content of a file; undefined if it cannot be read. */
export function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

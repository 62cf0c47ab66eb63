import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../../src/data-folder.ts';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault, putText, systemCode } from '../../src/files/disk.ts';
import { tryLock } from '../../src/files/lock.ts';
import { MARK_PATTERN, markOfProcess, sweepLeftBehind } from '../../src/files/process-mark.ts';
import { filedVersions, type PortfolioDraft, portfolioDraftSchema } from '../../src/portfolio/portfolio-draft.ts';
import { DAY_MS } from '../../src/time-units.ts';

/** Uploaded files in preparation, with a folder each. Another console with the same data folder has the same drafts. */
export type DraftStore = ReturnType<typeof makeDraftStore>;

/** The most bytes that all uploads of one person may take together. */
export const QUOTA_BYTES = 2 * 1024 ** 3;

export const NO_QUOTA =
  'Your uploads take up all the room that one person may use: submit or remove some of them first.';

/** The file of a draft's supplier, in the draft's folder. It never changes. */
export const supplierIn = (dir: string): string => join(dir, 'supplier.csv');

/** How long, in ms, a draft may be unused before it is removed. Its author has the original file. */
const KEPT_MS = 7 * DAY_MS;

const STATE = 'draft.json';
const ID = /^[\w-]{12}$/;
const INCOMING = new RegExp(`^incoming-${MARK_PATTERN}-[\\w-]{12}$`);

/** @param dir the folder of all drafts; made with the first upload */
export function makeDraftStore({ dir }: { dir: string }) {
  const turns = new Map<string, Promise<unknown>>();

  function dirOf(id: string): string {
    if (!ID.test(id)) throw unknownDraft();
    return join(dir, id);
  }

  async function read(id: string): Promise<PortfolioDraft> {
    const text = await readFile(join(dirOf(id), STATE), 'utf8').catch((error: unknown) => {
      throw systemCode(error) === 'ENOENT' ? unknownDraft() : fileFault(join(dir, id, STATE), 'read', error);
    });
    return portfolioDraftSchema.parse(JSON.parse(text));
  }

  async function write(folder: string, draft: PortfolioDraft): Promise<void> {
    await putText(folder, STATE, JSON.stringify(draft));
  }

  async function sweep(): Promise<void> {
    await sweepLeftBehind({ dir, names: INCOMING, folders: true });
    for (const id of (await readdir(dir).catch(() => [])).filter((name) => ID.test(name))) {
      const touched = await stat(join(dir, id, STATE)).catch(() => undefined);
      const isOld = touched === undefined || Date.now() - touched.mtimeMs > KEPT_MS;
      if (isOld) await rm(join(dir, id), { recursive: true, force: true }).catch(() => {});
    }
  }

  async function list(): Promise<PortfolioDraft[]> {
    await sweep();
    const ids = (await readdir(dir).catch(() => [])).filter((name) => ID.test(name));
    const drafts = await Promise.all(ids.map((id) => read(id).catch(() => undefined)));
    return drafts.filter((draft) => draft !== undefined).sort((a, b) => b.uploadedMs - a.uploadedMs);
  }

  return {
    /** The folder of a draft: `v1`, `v2` … are its versions, `documents` its documents. */
    dirOf,
    /** @throws LimitlineError `NOT_FOUND` */
    read,
    /** All drafts, the newest first. Drafts unused for a week are removed. */
    list,
    /** The bytes that the uploads of this person take: kept versions and documents. */
    async usedBy(person: string | undefined): Promise<number> {
      const own = (await list()).filter(({ authors }) => person !== undefined && authors.includes(person));
      const parts = own.flatMap(({ versions, documents, supplier }) => {
        return [...filedVersions(versions), ...documents, ...(supplier ? [supplier] : [])];
      });
      return parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    },
    /** Makes a folder for an upload, which becomes the draft's or is dropped. Folders of killed processes are removed. */
    async begin(): Promise<{
      dir: string;
      keep(draft: Omit<PortfolioDraft, 'id'>): Promise<PortfolioDraft>;
      drop(): Promise<void>;
    }> {
      const id = randomBytes(9).toString('base64url');
      const folder = join(dir, `incoming-${markOfProcess()}-${id}`);
      makeFolder(folder, 0o700);
      await sweep();
      return {
        dir: folder,
        async keep(draft) {
          await write(folder, { ...draft, id });
          await rename(folder, dirOf(id));
          return { ...draft, id };
        },
        drop: () => rm(folder, { recursive: true, force: true }),
      };
    },
    /** Changes a draft. Processes of this machine change one draft one after the other. @throws LimitlineError `NOT_FOUND` */
    async change(
      id: string,
      change: (draft: PortfolioDraft) => PortfolioDraft | Promise<PortfolioDraft>,
    ): Promise<PortfolioDraft> {
      const before = turns.get(id) ?? Promise.resolve();
      const changed = before
        .catch(() => {})
        .then(async () => {
          await read(id);
          const release = await locked(dirOf(id));
          try {
            const draft = await change(await read(id));
            await write(dirOf(id), draft);
            return draft;
          } finally {
            release();
          }
        });
      turns.set(id, changed);
      try {
        return await changed;
      } finally {
        if (turns.get(id) === changed) turns.delete(id);
      }
    },
    remove: (id: string): Promise<void> => rm(dirOf(id), { recursive: true, force: true }),
  };
}

/** Waits until no other process changes the draft in this folder, such as another console. Returns the function that releases the lock. */
async function locked(path: string): Promise<() => void> {
  for (;;) {
    const release = tryLock({ path, id: '' });
    if (release) return release;
    await sleep(LOOK_EVERY_MS);
  }
}

/** The interval in which a locked draft is tried again. A change takes some milliseconds, or as long as copying a file. */
const LOOK_EVERY_MS = 20;

function unknownDraft(): LimitlineError {
  const message =
    'There is no such upload here: it was submitted or removed, or is older than a week. Upload the file again.';
  return new LimitlineError('NOT_FOUND', message);
}

import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDropFolder } from '../../jobs/inbox/drop-folder.ts';
import { TIME } from '../../jobs/inbox/dropped-names.ts';
import type { InboxSource, RoundDeps } from '../../jobs/inbox/inbox-deps.ts';
import { makeSettling } from '../../jobs/inbox/look.ts';
import { takeInOnce } from '../../jobs/inbox/take-in.ts';
import { makeTakenFolder } from '../../jobs/inbox/taken-folder.ts';
import type { Context } from '../../src/context.ts';
import type { NoticeState } from '../../src/notices/notice.ts';
import { makeFolder, openWorkplace } from './workplace.ts';

type Wish = NonNullable<Parameters<typeof openWorkplace>[0]>;

/** A workplace with a drop folder, virtual time that passes with each wait, and recorded notices. */
export async function openInbox({ env = {}, ...wish }: Wish = {}) {
  const dir = await makeFolder();
  const workplace = await openWorkplace({ ...wish, env: { LIMITLINE_INBOX: dir, ...env } });
  const { settings } = workplace.context;
  const told: NoticeState[] = [];
  const outbox = {
    async report(states: readonly NoticeState[]) {
      told.push(...states);
      return workplace.context.outbox.report(states);
    },
  };
  const source: InboxSource = { ...workplace.context, outbox };
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());

  /** Takes in the files of the folder; `meanwhile` is called whenever time passes, with the ms that passed. */
  const takeIn = (meanwhile: (ms: number) => unknown = () => {}, from: InboxSource = source) => {
    let nowMs = 0;
    const wait = async (ms: number) => {
      nowMs += ms;
      await meanwhile(ms);
    };
    return takeInOnce(from, { signal: stopping.signal, settling: makeSettling(() => nowMs), wait });
  };

  return {
    ...workplace,
    inbox: dir,
    /** The settings, for a command line. */
    env: {
      REDIS_URL: settings.REDIS_URL ?? '',
      LIMITLINE_PREFIX: settings.LIMITLINE_PREFIX,
      SERVICE_URL: settings.SERVICE_URL ?? '',
      SERVICE_CLIENT_ID: settings.SERVICE_CLIENT_ID,
      SERVICE_CLIENT_SECRET: settings.SERVICE_CLIENT_SECRET,
      LIMITLINE_INBOX: dir,
      ...env,
    },
    source,
    told,
    takeIn,
    /** Drops a complete file, as programs leave it. */
    async drop(name: string, content: string | Buffer): Promise<string> {
      const path = join(dir, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.writing`, content);
      await rename(`${path}.writing`, path);
      return path;
    },
    /** The names in a folder of the drop folder, without times. */
    names: async (folder = '.') =>
      (await readdir(join(dir, folder))).map((name) => name.replace(TIME, '<time>-')).sort(),
    /** The text of a file there, by its name without the time. */
    async read(folder: string, name: string): Promise<string> {
      const found = (await readdir(join(dir, folder))).find((one) => one.endsWith(name));
      return readFile(join(dir, folder, found ?? name), 'utf8');
    },
    /** The dependencies of one look at the folder, as the product builds them. */
    async round(from: Context | InboxSource = source): Promise<RoundDeps> {
      const drop = await openDropFolder(dir, from.settings.LIMITLINE_DATA);
      const settling = settled();
      return { ...from, drop, taken: makeTakenFolder(drop, from.account), settling, signal: stopping.signal };
    },
  };
}

/** For tests that are not about settling: everything counts as settled as soon as it is seen. */
export function settled() {
  return { begin() {}, left: () => 0 };
}

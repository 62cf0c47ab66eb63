import { realpath } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watch } from 'chokidar';
import { messageOf } from '../../src/errors.ts';
import { systemCode } from '../../src/files/disk.ts';
import type { Log } from '../../src/log.ts';
import { readSchedule } from '../../src/schedule/read-schedule.ts';
import { makeNamedMappings } from '../drafts/kept-mappings.ts';
import { FOLDER_FAULTS } from './drop-folder.ts';
import { DONE, REJECTED, TAKEN } from './dropped-names.ts';
import type { InboxSource } from './inbox-deps.ts';
import { type Dropped, glanceAt, lookInto, makeSettling, pathOf, SETTLE_MS, type SettlingFiles } from './look.ts';
import { aloneWords, growingWords, HINDRANCES } from './settled-files.ts';
import { lookOnce, type TakenIn, takeInOnce } from './take-in.ts';

/**
 * The interval of passes when no event comes. Network drives do not report what other computers change. A finished portfolio causes no
 * event, but its results are due.
 */
const LOOK_EVERY_MS = 60_000;

/** How long after an event a pass begins, so that many small writes lead to one. */
const GATHER_MS = 300;

/**
 * Imports files from the drop folder as soon as they settle, and writes results of finished portfolios, until stopped. If the schedule
 * names the task `inbox`, it only writes results. Does nothing without a drop folder. Never throws: logs a fault once and tries again.
 *
 * @param given.everyMs the interval of passes without events
 * @param given.settling remembers files that may still change
 * @returns `watching` resolves when the file system reports events, where it does
 */
export function startInbox(
  source: InboxSource,
  { log, signal, everyMs = LOOK_EVERY_MS, settling = makeSettling() }: Watching,
): { stop: () => Promise<void>; watching: Promise<void> } {
  const { LIMITLINE_INBOX: dir } = source.settings;
  if (dir === undefined) return { stop: async () => {}, watching: Promise.resolve() };
  const ending = new AbortController();
  const stopping = AbortSignal.any([signal, ending.signal]);
  const bell = makeBell(stopping);
  const { watcher, watching } = watchFolder(dir, { log, ring: bell.ring });
  const going = keepLooking(source, { log, signal: stopping, everyMs, settling }, bell);
  return {
    watching,
    async stop() {
      ending.abort();
      await Promise.all([watcher.close(), going]);
    },
  };
}

/** One pass of a watching process. @throws as {@link takeInOnce} */
export function inboxOnce(source: InboxSource, { signal }: { signal: AbortSignal }): Promise<TakenIn> {
  // If the schedule names the task `inbox`, that task takes the files, and this pass only writes results.
  if (isOnSchedule(source.settings)) return lookOnce(source, { signal, settling: makeSettling(), onlyResults: true });
  return takeInOnce(source, { signal });
}

/** The most files in the drop folder that are shown: more than anybody reads. So many mean that no process takes them. */
const MOST_LYING = 50;

/** How many of the latest taken files are shown by default. */
const MOST_TAKEN = 50;

/** The drop folder as this host sees it, and the files taken lately. Changes nothing. */
export async function readInbox({ settings, inbox }: Pick<InboxSource, 'settings' | 'inbox'>, most = MOST_TAKEN) {
  const { LIMITLINE_INBOX: folder, LIMITLINE_INBOX_MAPPING: mapping } = settings;
  const onSchedule = isOnSchedule(settings);
  const [lately, mappingFault] = await Promise.all([inbox.lately(most), mappingFaultOf(settings)]);
  const facts = { folder, mapping, mappingFault, isOnSchedule: onSchedule, lately, nowMs: Date.now() };
  const nothing = { fault: undefined, lying: [], more: 0 };
  if (folder === undefined) return { ...facts, ...nothing };
  try {
    return { ...facts, fault: undefined, ...(await lyingIn(await realpath(folder), onSchedule)) };
  } catch (error) {
    return { ...facts, ...nothing, fault: `${folder}: ${FOLDER_FAULTS[systemCode(error)] ?? messageOf(error)}.` };
  }
}

/** Why no file can be taken by the mapping that is set; undefined if one can, or no mapping or no folder is set. */
async function mappingFaultOf(settings: InboxSource['settings']): Promise<string | undefined> {
  const { LIMITLINE_INBOX: folder, LIMITLINE_INBOX_MAPPING: mapping, LIMITLINE_DATA: dataDir } = settings;
  if (folder === undefined || mapping === undefined) return undefined;
  return makeNamedMappings({ dataDir })
    .need(mapping)
    .then(() => undefined, messageOf);
}

/** Whether files are taken by schedule, and not at once. */
function isOnSchedule({ LIMITLINE_SCHEDULE: text }: Pick<InboxSource['settings'], 'LIMITLINE_SCHEDULE'>): boolean {
  return readSchedule(text ?? '').entries.some(({ task }) => task === 'inbox');
}

type Watching = { log: Log; signal: AbortSignal; everyMs?: number; settling?: SettlingFiles };

async function keepLooking(
  source: InboxSource,
  { log, signal, everyMs, settling }: Required<Watching>,
  bell: Bell,
): Promise<void> {
  let said = '';
  const onlyResults = isOnSchedule(source.settings);
  while (!signal.aborted) {
    let waitMs = everyMs;
    try {
      const round = await lookOnce({ ...source, log }, { signal, settling, onlyResults });
      waitMs = nextLookMs(round, everyMs);
      said = '';
    } catch (error) {
      const reason = messageOf(error);
      if (!signal.aborted && reason !== said)
        log.error({ reason }, 'the drop folder cannot be looked at; it is tried again');
      said = reason;
    }
    await bell.wait(waitMs);
  }
}

/**
 * The time, in ms, until the next file will have settled. Files that wait for another process or a person are checked at the usual
 * interval.
 */
function nextLookMs({ lying, isElsewhere }: TakenIn, everyMs: number): number {
  if (isElsewhere) return Math.min(everyMs, SETTLE_MS);
  return Math.min(everyMs, ...lying.map(({ leftMs = everyMs }) => leftMs));
}

type Bell = ReturnType<typeof makeBell>;

/** Makes a bell that wakes a waiting pass. A ring while none waits is remembered for the next one. */
function makeBell(signal: AbortSignal) {
  let rung = Promise.withResolvers<void>();
  return {
    ring: () => rung.resolve(),
    /** Waits until the bell rings, until `ms` have passed, or until the watch ends. */
    async wait(ms: number): Promise<void> {
      const late = new AbortController();
      const until = { signal: AbortSignal.any([signal, late.signal]) };
      const byBell = rung.promise.then(() => sleep(GATHER_MS, undefined, until));
      await Promise.race([byBell, sleep(ms, undefined, until)]).catch(() => {});
      late.abort();
      rung = Promise.withResolvers();
    },
  };
}

/** Calls `ring` on any change in the drop folder and in folders of documents, except in our own folders. */
function watchFolder(dir: string, { log, ring }: { log: Log; ring: () => void }) {
  const ours = [TAKEN, DONE, REJECTED].map((name) => join(dir, name));
  const watcher = watch(dir, {
    ignoreInitial: true,
    followSymlinks: false,
    // Documents' folders may have subfolders. Deeper changes are found in the next pass.
    depth: 2,
    ignored: (path) => ours.some((own) => path === own || path.startsWith(own + sep)) || isHidden(dir, path),
  });
  let isSaid = false;
  watcher.on('all', ring);
  const { promise: watching, resolve } = Promise.withResolvers<void>();
  watcher.on('ready', () => {
    // Changes while the watch began cause no event, so a pass is due at once.
    ring();
    resolve();
  });
  watcher.on('error', (error) => {
    if (!isSaid)
      log.warn(
        { reason: messageOf(error) },
        'the file system tells nothing of the drop folder; it is looked at each minute',
      );
    isSaid = true;
  });
  return { watcher, watching };
}

const isHidden = (dir: string, path: string) => relative(dir, path) !== '' && basename(path).startsWith('.');

const TEXT = 'it is not taken, since only .csv and .xlsx are: if it lists buyers, rename it';

async function lyingIn(dir: string, onSchedule: boolean) {
  const { buyers, strays, texts } = await lookInto(dir);
  const lying: { name: string; why: string }[] = [];
  const hindranceOf = async ({ raw, name, kind }: Dropped): Promise<string | undefined> => {
    const hindrance = kind === 'file' ? (await glanceAt(pathOf(dir, raw), name))?.hindrance : undefined;
    return hindrance && HINDRANCES[hindrance];
  };
  for (const one of buyers.slice(0, MOST_LYING)) {
    const [supplier] = one.suppliers;
    const itsWhy = supplier && (await hindranceOf(supplier));
    const why =
      (await hindranceOf(one)) ??
      (itsWhy && `of ${supplier.name}: ${itsWhy}`) ??
      (one.growing && growingWords(one.growing.name)) ??
      (onSchedule ? 'it is taken when the schedule says so' : 'it is taken when it changes no more');
    lying.push({ name: one.name, why });
  }
  lying.push(...strays.slice(0, MOST_LYING).map(({ name }) => ({ name, why: aloneWords(name) })));
  lying.push(...texts.slice(0, MOST_LYING).map((name) => ({ name, why: TEXT })));
  return { lying, more: Math.max(0, buyers.length - MOST_LYING) };
}

import { basename, join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watch } from 'chokidar';
import { messageOf } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import { readSchedule } from '../../src/schedule/read-schedule.ts';
import { DONE, REJECTED, TAKEN } from './dropped-names.ts';
import type { InboxSource } from './inbox-deps.ts';
import { makeSettling, SETTLE_MS, type SettlingFiles } from './settling.ts';
import { lookOnce, type TakenIn, takeInOnce } from './take-in.ts';

/**
 * A look now and then, whatever the file system tells: network drives tell nothing of what others put there, and nobody tells that a
 * portfolio has settled, whose results are to be left.
 */
const LOOK_EVERY_MS = 60_000;

/** After an event: what is written in many small pieces leads to one look. */
const GATHER_MS = 300;

/** Whether files are taken at once, or when the schedule says so. */
export function isOnSchedule({
  LIMITLINE_SCHEDULE: text,
}: Pick<InboxSource['settings'], 'LIMITLINE_SCHEDULE'>): boolean {
  return readSchedule(text ?? '').entries.some(({ task }) => task === 'inbox');
}

/**
 * Takes in what appears in the drop folder, as soon as it has settled, and leaves the results of what was, until it is stopped. Where
 * the schedule says when files are taken, it leaves results alone; without a drop folder it does nothing. Never throws: what keeps it from its work is in the log, once, and it goes on when it can.
 *
 * @param given.everyMs how often it looks without being told of anything
 * @param given.settling what it remembers of files that may still change
 * @returns `watching` resolves once the file system tells of what is dropped, where it does
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

/** What a process that watches does, in one pass. @throws as {@link takeInOnce} */
export function inboxOnce(source: InboxSource, { signal }: { signal: AbortSignal }): Promise<TakenIn> {
  // What the schedule says is the schedule's to do.
  if (isOnSchedule(source.settings)) return lookOnce(source, { signal, settling: makeSettling(), onlyResults: true });
  return takeInOnce(source, { signal });
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

/** When what lies there will have settled. What another process takes in, and what waits for somebody, is looked at now and then. */
function nextLookMs({ lying, isElsewhere }: TakenIn, everyMs: number): number {
  if (isElsewhere) return Math.min(everyMs, SETTLE_MS);
  return Math.min(everyMs, ...lying.map(({ leftMs = everyMs }) => leftMs));
}

type Bell = ReturnType<typeof makeBell>;

/** Wakes who waits, and remembers that it was rung while nobody did. */
function makeBell(signal: AbortSignal) {
  let rung = Promise.withResolvers<void>();
  return {
    ring: () => rung.resolve(),
    /** Until it is rung, so many ms have passed, or all of it ends. */
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

/** Rings for whatever happens in the folder, and in folders of documents, but not for what we do there ourselves. */
function watchFolder(dir: string, { log, ring }: { log: Log; ring: () => void }) {
  const ours = [TAKEN, DONE, REJECTED].map((name) => join(dir, name));
  const watcher = watch(dir, {
    ignoreInitial: true,
    followSymlinks: false,
    // A folder of documents may have folders of its own; what is deeper is seen at the next look.
    depth: 2,
    ignored: (path) => ours.some((own) => path === own || path.startsWith(own + sep)) || isHidden(dir, path),
  });
  let isSaid = false;
  watcher.on('all', ring);
  const { promise: watching, resolve } = Promise.withResolvers<void>();
  watcher.on('ready', () => {
    // What came while it began to watch is told of by nobody.
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

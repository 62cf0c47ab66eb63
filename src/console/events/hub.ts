import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { onceAtATime } from '../../once-at-a-time.ts';
import type { Html } from '../html/html.ts';
import {
  APPROVALS_COUNT_ID,
  approvalsCount,
  renderStrip,
  STRIP_ID,
  type Strip,
  type StripState,
} from '../layout/layout.ts';

/** A piece of a page that stands in the element of this id. */
export type Fragment = { id: string; html: Html };

/** Whatever a page shows live: the same pieces for all who watch it. */
export type Frame = readonly Fragment[];

/** Who watches: one open page. */
export type Watcher = {
  /** Takes a message, and answers whether it can take more: one that cannot is let go of. */
  send: (message: string) => boolean;
  end: () => void;
  /** The session that it watches by; none where nobody needs to be known. */
  session?: string | undefined;
};

/** Says for each whether it may go on, with the session that it began by, or without one: in one round trip. */
export type MayWatch = (sessions: readonly (string | undefined)[]) => Promise<boolean[]>;

/** Twice a second, one reader for each thing that is watched. */
const READ_EVERY_MS = 500;

/** The strip goes on, and says why, while a page's own figures cannot be had. */
const FRAME_LIMIT_MS = 2_000;

/** Whoever signed out, or may less than before, watches for less than two seconds more, wherever that was done. */
const ASK_EVERY_MS = 1_000;

/** Tells a page that it may not watch any more; its script then shows the sign-in (assets/script/events.js). */
const SIGNED_OUT = 'event: signed-out\ndata: \n\n';

/** More open pages than anybody has, and few enough for the memory that their sockets take. */
const MOST_WATCHERS = 2_000;

/**
 * Of one session: more tabs than somebody has, of which the hidden ones close their streams. Each thing that is watched is read twice a
 * second, so that one person who opened thousands would slow down the line, and leave no stream to others.
 */
const MOST_OF_ONE = 60;

export type Hub = ReturnType<typeof makeHub>;

/** A thing that is watched by at least one page. */
type Topic = {
  read: () => Promise<Map<string, string>>;
  watchers: Set<Watcher>;
  /** What the watchers have: markup by id. */
  shown: Map<string, string>;
  timer: NodeJS.Timeout;
};

/**
 * Keeps open pages fresh. What many pages watch is read once for all of them, and becomes one message for all: only what
 * changed since the last. Who comes new, or again after a while, gets all of it. Nothing is read that nobody watches.
 *
 * @param given.strip what every page shows on top
 * @param given.mayWatch asked once a second for all who watch; without one everybody may
 */
export function makeHub(given: { strip: () => Promise<Strip>; log: Log; everyMs?: number; mayWatch?: MayWatch }) {
  const { log, everyMs = READ_EVERY_MS, mayWatch } = given;
  const topics = new Map<string, Topic>();
  const ofSession = new Map<string, number>();
  const strip = makeStripReader({ strip: given.strip, freshMs: everyMs });
  let [closed, watching, number] = [false, 0, 0];

  /** What a page shows, by id. Of a page whose own figures cannot be had just now it is the strip, which says why. */
  const readerOf = (read: () => Promise<Frame>) => {
    const shared = makeSharedRead(read, FRAME_LIMIT_MS);
    return async (): Promise<Map<string, string>> => {
      const [state, found] = await Promise.all([strip.fresh(), shared()]);
      if ('error' in found) log.debug({ reason: messageOf(found.error) }, 'a page could not be kept fresh');
      const frame = 'value' in found ? found.value : [];
      const own = frame.map(({ id, html }) => [id, html.markup] as const);
      const top: [string, string][] = [
        [STRIP_ID, renderStrip(state).markup],
        [APPROVALS_COUNT_ID, approvalsCount(state).markup],
      ];
      return new Map([...top, ...own]);
    };
  };
  const messageOfAll = (pieces: Iterable<readonly [string, string]>): string => {
    number += 1;
    const data = JSON.stringify([...pieces].map(([id, html]) => ({ id, html })));
    return `id: ${number}\nevent: frame\ndata: ${data}\n\n`;
  };
  const countOf = ({ session }: Watcher, more: number): void => {
    if (session === undefined) return;
    const count = (ofSession.get(session) ?? 0) + more;
    if (count === 0) ofSession.delete(session);
    else ofSession.set(session, count);
  };
  const drop = (name: string, topic: Topic, watcher: Watcher): void => {
    if (topic.watchers.delete(watcher)) {
      watching -= 1;
      countOf(watcher, -1);
    }
    if (topic.watchers.size > 0 || topics.get(name) !== topic) return;
    clearInterval(topic.timer);
    topics.delete(name);
  };
  const look = async (name: string, topic: Topic): Promise<void> => {
    const changed = [...(await topic.read())].filter(([id, markup]) => topic.shown.get(id) !== markup);
    if (changed.length === 0) return;
    for (const [id, markup] of changed) topic.shown.set(id, markup);
    const message = messageOfAll(changed);
    for (const watcher of [...topic.watchers]) {
      if (watcher.send(message)) continue;
      drop(name, topic, watcher);
      watcher.end();
    }
  };
  const asking = mayWatch && askForWatchers({ topics, mayWatch, drop, log });
  const open = (name: string, read: () => Promise<Frame>): Topic => {
    const next = onceAtATime(() => look(name, topic));
    const timer = setInterval(next, everyMs).unref();
    const topic: Topic = { read: readerOf(read), watchers: new Set(), shown: new Map(), timer };
    topics.set(name, topic);
    void next();
    return topic;
  };

  return {
    /** The strip as it is now, at most half a second old: never fails, and never waits long. Or as it was read last, at once. */
    strip,
    /** How many pages watch. */
    watchers: (): number => watching,
    /** All pieces of a page by id, once, for a browser that gets no events: what its watchers have, where it has any. */
    async frame(name: string, read: () => Promise<Frame>): Promise<Map<string, string>> {
      const shown = topics.get(name)?.shown;
      return shown && shown.size > 0 ? shown : readerOf(read)();
    },
    /**
     * Sends a page what changes, until the answer is called; undefined where there are too many, in all or
     * of the same session, or the console ends.
     *
     * @param name what is watched: all watchers of one name share what the first one's `read` finds
     */
    watch(name: string, read: () => Promise<Frame>, watcher: Watcher): (() => void) | undefined {
      if (closed || watching >= MOST_WATCHERS) return undefined;
      if ((ofSession.get(watcher.session ?? '') ?? 0) >= MOST_OF_ONE) return undefined;
      const topic = topics.get(name) ?? open(name, read);
      topic.watchers.add(watcher);
      watching += 1;
      countOf(watcher, 1);
      if (topic.shown.size > 0) watcher.send(messageOfAll(topic.shown));
      return () => drop(name, topic, watcher);
    },
    /** Ends all streams. */
    close(): void {
      closed = true;
      clearInterval(asking);
      for (const { timer, watchers } of topics.values()) {
        clearInterval(timer);
        for (const watcher of watchers) watcher.end();
      }
      topics.clear();
    },
  };
}

/** Lets go of those whose session ended, every second. While Redis is away nobody can say, and nothing is read either. */
function askForWatchers({
  topics,
  mayWatch,
  drop,
  log,
}: {
  topics: ReadonlyMap<string, Topic>;
  mayWatch: MayWatch;
  drop: (name: string, topic: Topic, watcher: Watcher) => void;
  log: Log;
}): NodeJS.Timeout {
  const ask = async (): Promise<void> => {
    const all = [...topics].flatMap(([name, topic]) =>
      [...topic.watchers].map((watcher) => ({ name, topic, watcher })),
    );
    if (all.length === 0) return;
    const sessions = [...new Set(all.map(({ watcher }) => watcher.session))];
    const answers = await mayWatch(sessions);
    const mayGoOn = new Map(sessions.map((session, place) => [session, answers[place] === true]));
    for (const { name, topic, watcher } of all) {
      if (mayGoOn.get(watcher.session)) continue;
      watcher.send(SIGNED_OUT);
      drop(name, topic, watcher);
      watcher.end();
    }
  };
  const next = onceAtATime(() =>
    ask().catch((error) => log.debug({ reason: messageOf(error) }, 'nobody can say who may still watch')),
  );
  return setInterval(next, ASK_EVERY_MS).unref();
}

/** A page is not kept waiting for its strip. */
const PATIENCE_MS = 1_500;

const AWAY = 'Redis does not answer: nothing is sent, and nothing here changes, until it is back.';

/**
 * Reads the strip for all pages together: what was read less than `freshMs` ago is good enough. Where none is to be had, it
 * is the last one with the word that Redis is away, and since when.
 */
function makeStripReader({ strip, freshMs }: { strip: () => Promise<Strip>; freshMs: number }) {
  let state: StripState = { strip: undefined, away: undefined, atMs: 0 };
  let triedAtMs = Number.NEGATIVE_INFINITY;
  const read = makeSharedRead(strip, PATIENCE_MS);

  const fresh = async (): Promise<StripState> => {
    if (performance.now() - triedAtMs < freshMs) return state;
    const found = await read();
    // Whatever went wrong, the pages cannot know how things stand; the log of it is with those who asked Redis.
    state = 'value' in found ? { strip: found.value, away: undefined, atMs: Date.now() } : { ...state, away: AWAY };
    triedAtMs = performance.now();
    return state;
  };
  /** As it was read last, at once. */
  return { fresh, last: (): StripState => state };
}

/** What was read, what went wrong with it, or that it takes too long. */
type Found<T> = { value: T } | { error: unknown } | { late: true };

/**
 * Reads for all who ask at the same time together: one read at a time is under way, also when it hangs, and nobody waits
 * longer for it than the limit. Never throws.
 */
function makeSharedRead<T>(read: () => Promise<T>, limitMs: number): () => Promise<Found<T>> {
  const readOnce = onceAtATime(() =>
    read()
      .then((value): Found<T> => ({ value }))
      .catch((error): Found<T> => ({ error })),
  );
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Found<T>>((resolve) => {
      timer = setTimeout(() => resolve({ late: true }), limitMs);
    });
    const found = await Promise.race([readOnce(), late]);
    clearTimeout(timer);
    return found;
  };
}

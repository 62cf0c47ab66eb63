import { messageOf } from '../../errors.ts';
import { inTime } from '../../in-time.ts';
import type { Log } from '../../log.ts';
import { onceAtATime } from '../../once-at-a-time.ts';
import { type Html, t } from '../html/html.ts';
import type { Strip, StripState } from '../layout/layout.ts';
import { COUNTED_PLACES, countId, placeCount, renderStrip, STRIP_ID } from '../layout/layout.ts';

/** A piece of a page, with the id of the element that holds it. */
type Fragment = { id: string; html: Html };

/** All pieces of a page that events refresh, the same for everybody who watches it. */
export type Frame = readonly Fragment[];

/** A browser that has a page open, and is sent its events. */
export type Watcher = {
  /** Sends a message; false where the page reads too slowly and must be disconnected. */
  send: (message: string) => boolean;
  end: () => void;
  /** The token of the page's session; undefined where nobody needs to sign in. */
  session?: string | undefined;
};

/** Answers in one round trip which of these sessions may keep watching; undefined is a page without a session. */
export type MayWatch = (sessions: readonly (string | undefined)[]) => Promise<boolean[]>;

/** The time between two reads of an open page's pieces. A page is read once, however many browsers have it open. */
const READ_EVERY_MS = 500;

/**
 * How long reading a page's own pieces may take. After that only the strip (the line at the top of every page) is sent, which says
 * why they are late.
 */
const FRAME_LIMIT_MS = 2_000;

/** How often sessions are checked: after a sign-out or a change of roles, streams end within two seconds. */
const ASK_EVERY_MS = 1_000;

/** Tells a page that its session ended; its script then opens the sign-in (assets/script/events.js). */
const SIGNED_OUT = 'event: signed-out\ndata: \n\n';

/** The most open pages of all people together: each has a socket, which takes memory. */
const MOST_WATCHERS = 2_000;

/**
 * The most open pages of one session; hidden tabs close their streams and do not count. The pieces of each page are read twice a
 * second, so one person with thousands of streams would slow Limitline down and leave none to others.
 */
const MOST_OF_ONE = 60;

export type Hub = ReturnType<typeof makeHub>;

/** The pieces of one page, which are read once and sent to all browsers that have the page open. Without such a browser there is no topic. */
type Topic = {
  read: () => Promise<Map<string, string>>;
  watchers: Set<Watcher>;
  /** The markup that the browsers have been sent last, by the id of the element that it belongs into. */
  shown: Map<string, string>;
  timer: NodeJS.Timeout;
};

/**
 * Refreshes open pages. A topic is the pieces of one page: it is read once for all browsers that have the page open, and all of
 * them get one message with its changes. A new or returning browser gets all pieces. A page that nobody has open is not read.
 *
 * @param given.strip the line at the top of every page
 * @param given.mayWatch asked once a second for all watchers; by default everybody may watch
 */
export function makeHub(given: { strip: () => Promise<Strip>; log: Log; everyMs?: number; mayWatch?: MayWatch }) {
  const { log, everyMs = READ_EVERY_MS, mayWatch } = given;
  const topics = new Map<string, Topic>();
  const ofSession = new Map<string, number>();
  const strip = makeStripReader({ strip: given.strip, freshMs: everyMs });
  let [closed, watching, number] = [false, 0, 0];

  /**
   * Reads the pieces of a page by id. Where its own pieces fail or are late, only the strip (the line at its top) is read, which says why.
   */
  const readerOf = (read: () => Promise<Frame>) => {
    const shared = makeSharedRead(read, FRAME_LIMIT_MS);
    return async (): Promise<Map<string, string>> => {
      const [state, found] = await Promise.all([strip.fresh(), shared()]);
      if ('error' in found) log.debug({ reason: messageOf(found.error) }, 'a page could not be kept fresh');
      const frame = 'value' in found ? found.value : [];
      const own = frame.map(({ id, html }) => [id, html.markup] as const);
      const top: (readonly [string, string])[] = [
        [STRIP_ID, renderStrip(state).markup],
        ...COUNTED_PLACES.map((place) => [countId(place), placeCount(state, place).markup] as const),
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
    /**
     * The strip, the line at the top of every page. `fresh` answers one that is at most half a second old; it never fails, and
     * waits briefly. `last` answers the one that was read last, without waiting.
     */
    strip,
    watchers: (): number => watching,
    /**
     * All pieces of a page by element id, for a browser without event streams. If other browsers have the page open, the pieces
     * are those sent to them last.
     */
    async frame(name: string, read: () => Promise<Frame>): Promise<Map<string, string>> {
      const shown = topics.get(name)?.shown;
      return shown && shown.size > 0 ? shown : readerOf(read)();
    },
    /**
     * Sends an open page all changes until the returned function is called. Returns undefined where too many pages are open, in all
     * or for one session, and while the console closes.
     *
     * @param name the topic; the first watcher's `read` serves all of its watchers
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

/** Disconnects pages whose session ended, every second. While Redis is away the check fails, and all streams stay. */
function askForWatchers(given: {
  topics: ReadonlyMap<string, Topic>;
  mayWatch: MayWatch;
  drop: (name: string, topic: Topic, watcher: Watcher) => void;
  log: Log;
}): NodeJS.Timeout {
  const { topics, mayWatch, drop, log } = given;
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

/** The longest time that a page waits for its strip, the line at its top. */
const PATIENCE_MS = 1_500;

const AWAY = t`Redis does not answer: nothing is sent, and nothing here changes, until it is back.`;

/**
 * Reads the strip (the line at the top of all pages), at most once in `freshMs`. If reading fails, pages show the strip that was
 * read last, with its time and the reason (`away`).
 */
function makeStripReader({ strip, freshMs }: { strip: () => Promise<Strip>; freshMs: number }) {
  let state: StripState = { strip: undefined, away: undefined, atMs: 0 };
  let triedAtMs = Number.NEGATIVE_INFINITY;
  const read = makeSharedRead(strip, PATIENCE_MS);

  const fresh = async (): Promise<StripState> => {
    if (performance.now() - triedAtMs < freshMs) return state;
    const found = await read();
    // This failure is not logged here: the function that asked Redis logs it.
    state = 'value' in found ? { strip: found.value, away: undefined, atMs: Date.now() } : { ...state, away: AWAY };
    triedAtMs = performance.now();
    return state;
  };
  /** Answers the strip: `fresh` reads it again where it is too old, `last` takes the one that was read last. */
  return { fresh, last: (): StripState => state };
}

/** The result of a read: a value, an error, or that it takes too long. */
type Found<T> = { value: T } | { error: unknown } | { late: true };

/**
 * Shares one read among all callers of the same time. At most one read runs, even a hanging one, and no caller waits longer
 * than the limit. Never throws.
 */
function makeSharedRead<T>(read: () => Promise<T>, limitMs: number): () => Promise<Found<T>> {
  const readOnce = onceAtATime(() =>
    read()
      .then((value): Found<T> => ({ value }))
      .catch((error): Found<T> => ({ error })),
  );
  return () => inTime(readOnce(), limitMs, (): Found<T> => ({ late: true }));
}

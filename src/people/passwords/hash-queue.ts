/**
 * Each takes a core and 46 MiB while it goes on, and a thread of the four that Node has for files, names of hosts and digests: two
 * leave the rest of the process its own.
 */
const AT_ONCE = 2;

/** At 80 ms each and two at a time, who is last of these waits for somewhat less than a second. */
const WAITING_MAX = 20;

/**
 * Strangers who come from everywhere at once, so that no limit by place holds them, may take 50 in one go and one a second then:
 * 4 percent of two cores, which the line that sends rows does not feel. Whoever signed in from a place before is no stranger there.
 */
const STRANGERS = { atOnce: 50, backMs: 1_000 };

/** Who is let in first: whoever is signed in, then who signed in from the same place before, then anybody. */
type Lane = 'own' | 'known' | 'stranger';

/**
 * A queue for what is dear: so many at a time in a process, and so many that wait. Strangers have a part of the queue that is
 * theirs, so whoever fills it keeps nobody out who was here before.
 */
export function makeHashQueue({ atOnce = AT_ONCE, waitingMax = WAITING_MAX, strangers = STRANGERS } = {}) {
  const waiting: Record<Lane, (() => void)[]> = { own: [], known: [], stranger: [] };
  let running = 0;
  /** The moment up to which strangers have used up what they may take (GCRA). */
  let strangersMs = 0;

  const usedMs = () => Math.max(strangersMs, performance.now());
  const isFull = (lane: Lane): boolean => {
    if (lane === 'own') return false;
    if (running >= atOnce && waiting[lane].length >= waitingMax) return true;
    return lane === 'stranger' && usedMs() - performance.now() > (strangers.atOnce - 1) * strangers.backMs;
  };

  const next = (): void => {
    const start = waiting.own.shift() ?? waiting.known.shift() ?? waiting.stranger.shift();
    if (start === undefined) running -= 1;
    else start();
  };

  return {
    /** Whether {@link run} would answer `busy` now. */
    isFull,

    /** Does it when its turn comes. Answers `busy` at once where too many wait; whoever is signed in is never told so. */
    async run<T>(lane: Lane, work: () => Promise<T>): Promise<T | 'busy'> {
      if (isFull(lane)) return 'busy';
      if (lane === 'stranger') strangersMs = usedMs() + strangers.backMs;
      if (running < atOnce) running += 1;
      else await new Promise<void>((resolve) => waiting[lane].push(resolve));
      try {
        return await work();
      } finally {
        next();
      }
    },
  };
}

export type HashQueue = ReturnType<typeof makeHashQueue>;

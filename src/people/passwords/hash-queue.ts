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

/**
 * Where strangers have used that up, as many again are for networks that took few of these: two in one go, for a password that is
 * mistyped, and one in half an hour. Who wants to keep new places out needs some 1,800 networks, and not one with many addresses.
 */
const OF_NETWORK = { atOnce: 2, backMs: 30 * 60_000 };

/** More than can have taken one within the hour for which that is remembered. */
const NETWORKS_MAX = 5_000;

/** Who is let in first: whoever is signed in, then who signed in from the same place before, then anybody. */
type Lane = 'own' | 'known' | 'stranger';

/** So many turns of somebody's in one go, of which one comes back after so long. */
type Part = { of: string; atOnce: number; backMs: number };

/**
 * A queue for what is dear: so many at a time in a process, and so many that wait. Strangers have a part of the queue that is
 * theirs, so whoever fills it keeps nobody out who was here before.
 */
export function makeHashQueue({ atOnce = AT_ONCE, waitingMax = WAITING_MAX, strangers = STRANGERS } = {}) {
  const waiting: Record<Lane, (() => void)[]> = { own: [], known: [], stranger: [] };
  let running = 0;
  /** The moment up to which a part, or a network, is used up (GCRA). */
  const usedUp = new Map<string, number>();

  const usedMs = (of: string) => Math.max(usedUp.get(of) ?? 0, performance.now());
  const hasTurn = ({ of, atOnce, backMs }: Part) => usedMs(of) - performance.now() <= (atOnce - 1) * backMs;
  /** Of what a stranger's turn is taken; undefined where there is none. */
  const partsOf = (network: string): Part[] | undefined =>
    [
      [{ of: 'all', ...strangers }],
      [
        { of: 'newcomers', ...strangers },
        { of: `network ${network}`, ...OF_NETWORK },
      ],
    ].find((parts) => parts.every(hasTurn));
  const takeTurn = (network: string): void => {
    for (const { of, backMs } of partsOf(network) ?? []) {
      const used = usedMs(of) + backMs;
      usedUp.delete(of);
      usedUp.set(of, used);
    }
    const [oldest] = usedUp.keys();
    if (oldest !== undefined && usedUp.size > NETWORKS_MAX) usedUp.delete(oldest);
  };

  const isFull = (lane: Lane, network = ''): boolean => {
    if (lane === 'own') return false;
    if (running >= atOnce && waiting[lane].length >= waitingMax) return true;
    return lane === 'stranger' && partsOf(network) === undefined;
  };

  const next = (): void => {
    const start = waiting.own.shift() ?? waiting.known.shift() ?? waiting.stranger.shift();
    if (start === undefined) running -= 1;
    else start();
  };

  return {
    /** Whether {@link run} would answer `busy` now. */
    isFull,

    /**
     * Does it when its turn comes. Answers `busy` at once where too many wait; whoever is signed in is never told so.
     *
     * @param network of a stranger, as wide as one organisation may have all of it
     */
    async run<T>(lane: Lane, work: () => Promise<T>, network = ''): Promise<T | 'busy'> {
      if (isFull(lane, network)) return 'busy';
      if (lane === 'stranger') takeTurn(network);
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

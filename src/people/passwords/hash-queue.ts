/**
 * Password hashes that a process computes at a time. Each takes a core, 46 MiB, and one of the four threads that Node uses for files, host
 * names and digests: two leave the rest to the process.
 */
const AT_ONCE = 2;

/** Most password hashes that wait in a process: at 80 ms each, two at a time, the last one waits for less than a second. */
const WAITING_MAX = 20;

/**
 * Password hashes for strangers (people who never signed in from their address), who may come from many addresses, so that no limit by
 * address holds them: 50 at once, then one a second, which is 4 percent of two cores.
 */
const STRANGERS = { atOnce: 50, backMs: 1_000 };

/**
 * When strangers have used up {@link STRANGERS}, as many hashes again are left for networks that took few: each has two at once, for a
 * mistyped password, and one in half an hour. So it takes some 1,800 networks to keep new people out, and not one with many addresses.
 */
const OF_NETWORK = { atOnce: 2, backMs: 30 * 60_000 };

/**
 * Most networks whose used hashes are remembered. A network has all its hashes back after an hour, and fewer networks can use any within
 * one hour.
 */
const NETWORKS_MAX = 5_000;

/** For whom a password is hashed, in the order of priority: people who are signed in, people known at the address, strangers. */
type Lane = 'own' | 'known' | 'stranger';

type Busy<L extends Lane> = L extends 'own' ? never : 'busy';

/** A budget of hashes for strangers: `atOnce` of them, of which one comes back every `backMs`. */
type Part = { of: string; atOnce: number; backMs: number };

/**
 * A queue for expensive work: a limited number at a time in a process, and a limited number waiting. Strangers have their own part of the
 * queue, so that they cannot keep known people out.
 */
export function makeHashQueue({ atOnce = AT_ONCE, waitingMax = WAITING_MAX, strangers = STRANGERS } = {}) {
  const waiting: Record<Lane, (() => void)[]> = { own: [], known: [], stranger: [] };
  let running = 0;
  /** The time up to which the budget of all strangers, or of a network, is used up (GCRA). */
  const usedUp = new Map<string, number>();

  const usedMs = (of: string) => Math.max(usedUp.get(of) ?? 0, performance.now());
  const hasTurn = ({ of, atOnce, backMs }: Part) => usedMs(of) - performance.now() <= (atOnce - 1) * backMs;
  /** The budgets from which a stranger's hash is taken; undefined if they are used up. */
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
     * Runs the work when its time comes. Answers `busy` at once if too many wait; never for people who are signed in.
     *
     * @param network the stranger's group of addresses, as wide as one organisation may own
     */
    async run<T, L extends Lane>(lane: L, work: () => Promise<T>, network = ''): Promise<T | Busy<L>> {
      if (isFull(lane, network)) return 'busy' as Busy<L>;
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

import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { AuditNote } from './audit.ts';

/**
 * Refusals a minute that get an entry each, for one address and for all together. People who mistype have fewer; an attack cannot flood the
 * trail with them.
 */
const EACH_PER_ADDRESS = 10;
const EACH_IN_ALL = 100;

/**
 * Interval at which the counted refusals are written, in ms. Refusals beyond {@link EACH_PER_ADDRESS} and {@link EACH_IN_ALL} are only
 * counted.
 */
const MINUTE_MS = 60_000;

/**
 * Most addresses that the entry on counted refusals names, those with the most refusals first; and most addresses that are counted
 * separately.
 */
const NAMED = 20;
const TOLD_APART = 1_000;

type Counts = Map<string, number>;

/**
 * Notes any number of refusals: a thousand a second become one entry a minute with their number, what was refused, and from which addresses.
 *
 * @param given.everyMs interval of that entry, for tests
 */
export function makeRefusals(given: {
  note: (note: AuditNote) => Promise<void>;
  log: Log;
  everyMs?: number | undefined;
}) {
  const { note, log, everyMs = MINUTE_MS } = given;
  /** Refusals of this minute, by address and in all. */
  let [each, all]: [Counts, number] = [new Map(), 0];
  let counted = makeCounts();
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;

  const write = async (what: AuditNote, ifNot: () => void): Promise<void> => {
    try {
      await note(what);
      isFailing = false;
    } catch (error) {
      ifNot();
      start();
      if (!isFailing)
        log.error(
          { reason: messageOf(error) },
          'refused attempts cannot be written to the audit trail; Limitline counts them, and writes their number once it can',
        );
      isFailing = true;
    }
  };
  const start = (): void => {
    timer ??= setTimeout(() => void flush(), everyMs).unref();
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    [timer, each, all] = [undefined, new Map(), 0];
    const written = counted;
    if (written.count === 0) return;
    counted = makeCounts();
    await write(entryOf(written), () => join(counted, written));
  };

  return {
    /** Resolves when the entry is written, or at once if the refusal is only counted; never rejects. */
    async refusal(refused: AuditNote): Promise<void> {
      start();
      const ofAddress = add(each, refused.from);
      all += 1;
      if (ofAddress > EACH_PER_ADDRESS || all > EACH_IN_ALL) return count(counted, refused);
      await write(refused, () => count(counted, refused));
    },
    /** Writes the counted refusals; for the end of the process. */
    flush,
  };
}

function makeCounts() {
  return { sinceMs: Date.now(), count: 0, from: new Map() as Counts, what: new Map() as Counts };
}

type Counted = ReturnType<typeof makeCounts>;

function count(counted: Counted, { from, what }: AuditNote): void {
  counted.count += 1;
  add(counted.from, from);
  add(counted.what, what);
}

function join(counted: Counted, earlier: Counted): void {
  counted.sinceMs = Math.min(counted.sinceMs, earlier.sinceMs);
  counted.count += earlier.count;
  for (const field of ['from', 'what'] as const) {
    for (const [name, more] of earlier[field]) add(counted[field], name, more);
  }
}

/** Adds to the count under a name. Once there are {@link TOLD_APART} names, a further name is counted under `others`. */
function add(counts: Counts, name: string, more = 1): number {
  const known = counts.has(name) || counts.size < TOLD_APART ? name : OTHERS;
  const sum = (counts.get(known) ?? 0) + more;
  counts.set(known, sum);
  return sum;
}

const OTHERS = 'others';

function entryOf({ sinceMs, count, from, what }: Counted): AuditNote {
  const by = (counts: Counts) =>
    Object.fromEntries([...counts].sort(([, left], [, right]) => right - left).slice(0, NAMED));
  return {
    by: '',
    what: 'refusals counted',
    from:
      from.size === 1
        ? ([...from.keys()][0] ?? '')
        : from.has(OTHERS)
          ? `${TOLD_APART} or more addresses`
          : `${from.size} addresses`,
    facts: { count, since: new Date(sinceMs).toISOString(), what: by(what), from: by(from) },
  };
}

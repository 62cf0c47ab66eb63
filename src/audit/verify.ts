import type { LastLink } from '../files/last-link.ts';
import type { AuditEntry, Chain, CheckpointFacts, KeptEntry } from './entry.ts';
import { CHECKPOINT, OTHER_KEY, readEntry, SET_BACK } from './entry.ts';

/** Kinds of faults in a trail. */
type Break = 'changed' | 'missing' | 'order' | 'history' | 'set back' | 'start' | 'end' | 'key';

/** The first fault of a trail. */
export type Broken = {
  /** The number that the entry in the faulty position should have. */
  number: number;
  /** The time of the entry in the faulty position, in ms; undefined if it cannot be read. */
  atMs: number | undefined;
  is: Break;
  /** Of missing entries, the number of the last one before the next that is there. */
  upTo?: number;
  /** The fault in a sentence for people. */
  words: string;
};

/** The result of a check of a trail: the number of its entries, the first and the last of them, and its first fault, if it has any. */
export type TrailCheck = {
  entries: number;
  first: number | undefined;
  last: (LastLink & { atMs: number }) | undefined;
  broken: Broken | undefined;
};

/** An entry that the trail once had: by its number and link, a check finds whether it was removed or replaced. */
export type Remembered = LastLink & {
  /** Who remembers the entry, for messages: `the data folder`, `the head`. */
  by: string;
  /** Whether the trail must contain this entry; an older export need not. */
  mustReach: boolean;
};

/**
 * Checks a trail, entry by entry in its order, and finds the first fault: an entry that is changed, missing or elsewhere; a beginning
 * without a checkpoint; or an end before a remembered entry.
 *
 * @param given.from number to begin with: earlier entries are not checked, and the trail may begin anywhere
 */
export function makeVerifier(given: { chain: Chain; from?: number | undefined; remembered?: readonly Remembered[] }) {
  const { chain, from, remembered = [] } = given;
  /** The number of entries so far; and how many entries without a readable number came before the first entry whose link is valid. */
  let [entries, leading] = [0, 0];
  let first: { number: number; prev: string | undefined } | undefined;
  let last: TrailCheck['last'];
  let broken: Broken | undefined;
  /** The number that the next entry should have, and the link that it should name as previous; undefined after an entry with a fault. */
  let expected = from ?? 1;
  let previous: string | undefined;
  /** Whether it is known why the trail begins where it does, and the highest number that a checkpoint says was deleted. */
  let [isExplained, cutBefore] = [from !== undefined, 0];

  type About = { atMs?: number | undefined; about?: string; upTo?: number | undefined };
  const breakAt = (number: number, is: Break, { atMs, about = '', upTo }: About = {}) => {
    if (broken && number >= broken.number) return;
    broken = { number, atMs, is, ...(upTo !== undefined && { upTo }), words: WORDS[is](number, about) };
  };

  const begin = (number: number, prev: string | undefined): void => {
    first = { number, prev };
    if (from !== undefined) return;
    [expected, isExplained] = [number, number === 1];
    previous = number === 1 ? chain.genesis : undefined;
  };

  const addBroken = (place: number | undefined, atMs: number | undefined): void => {
    if (!first && place !== undefined) begin(place, undefined);
    if (!first) leading += 1;
    else {
      breakAt(Math.min(expected, place ?? expected), 'changed', { atMs });
      [expected, previous] = [Math.max(expected, (place ?? expected) + 1), undefined];
    }
  };

  const addHolding = (entry: AuditEntry, { place, link }: { place: number | undefined; link: string }): void => {
    const { number, atMs, facts } = entry;
    if (!first) {
      begin(Math.max(1, (place ?? number) - leading), leading > 0 ? undefined : entry.prev);
      if (leading > 0) {
        breakAt(expected, 'changed');
        [expected, previous] = [Math.max(expected, number), undefined];
      }
    }
    // Entries before a change of the key have links by the old key, which cannot be checked with the present one. So the fault is the key,
    // and not a changed entry.
    if (entry.what === OTHER_KEY && !last && broken)
      broken = { ...broken, is: 'key', words: WORDS.key(broken.number, '') };
    const is = faultOf(entry, { place, expected, previous });
    const upTo = is === 'missing' ? number - 1 : undefined;
    if (is)
      breakAt(Math.min(expected, place ?? expected), is, { atMs, about: upTo === undefined ? '' : String(upTo), upTo });
    if (entry.what === CHECKPOINT) noteCut((facts ?? {}) as Partial<CheckpointFacts>);
    for (const known of remembered) {
      if (known.number === number && known.link !== link) breakAt(number, 'history', { atMs, about: known.by });
    }
    const isBehind = (place ?? number) < expected;
    [expected, previous] = isBehind ? [expected, undefined] : [(place ?? number) + 1, link];
    last = { number, atMs, link };
  };

  const noteCut = ({ upTo = 0, link }: Partial<CheckpointFacts>): void => {
    if (!first || upTo >= first.number) return;
    if (upTo === first.number - 1 && link === (first.prev ?? link)) isExplained = true;
    else cutBefore = Math.max(cutBefore, upTo);
  };

  return {
    /** @param place the number by the entry's position; undefined for a line of a file */
    add({ text, link, place }: KeptEntry & { place?: number | undefined }): void {
      entries += 1;
      const entry = readEntry(text);
      if (entry && chain.link(text) === link) addHolding(entry, { place, link });
      else addBroken(place, entry?.atMs);
    },

    /** Answers the result of the check, after all entries were added. */
    end(): TrailCheck {
      if (first && !isExplained) breakAt(cutBefore + 1, 'start', { about: String(first.number) });
      if (!last && entries > 0) {
        broken = undefined;
        breakAt(first?.number ?? expected, 'key');
      }
      for (const { number, mustReach, by } of remembered) {
        if (mustReach && number >= expected) breakAt(expected, 'end', { about: `${by} knows entry ${number}` });
      }
      return { entries, first: first?.number, last, broken };
    },
  };
}

/** The fault in the position of an entry whose link is valid; undefined if there is none. */
function faultOf(
  { number, prev, what }: AuditEntry,
  { place, expected, previous }: { place: number | undefined; expected: number; previous: string | undefined },
): Break | undefined {
  if (place !== undefined && place !== number) return 'order';
  if (number > expected) return 'missing';
  if (number < expected) return 'order';
  if (what === OTHER_KEY) return 'key';
  if (previous !== undefined && prev !== previous) return 'history';
  return what === SET_BACK ? 'set back' : undefined;
}

const WORDS: Record<Break, (number: number, about: string) => string> = {
  changed: (number) => `Entry ${number} was changed: its text and its link do not match.`,
  missing: (number, upTo) =>
    upTo === String(number) ? `Entry ${number} is missing.` : `The entries ${number} to ${upTo} are missing.`,
  order: (number) => `Another entry stands in the place of entry ${number}.`,
  history: (number, by) =>
    by === ''
      ? `Entry ${number} does not follow from the entry before it: it is of another trail, or the trail was set back to an older copy and went on.`
      : `Entry ${number} is not the one that ${by} remembers: this is another trail, or the trail was set back to an older copy and went on.`,
  'set back': (number) =>
    `The trail was set back to an older copy before entry ${number}. Limitline noticed and wrote that entry, whose facts name the entries that are gone.`,
  start: (number, first) =>
    `The trail begins with entry ${first}, and no checkpoint says that Limitline deleted the entries before it: entry ${number} is missing.`,
  end: (number, known) => `The end of the trail is missing, from entry ${number} on: ${known}.`,
  key: (number) =>
    `Entry ${number} and all later ones do not match the key: the trail was written with another key (LIMITLINE_SECRET), or all of it was changed.`,
};

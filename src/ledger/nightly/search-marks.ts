import type { LedgerPlace } from '../schema/keys.ts';
import { answersOf } from '../schema/redis-reads.ts';
import { idDigest, indexWords } from '../search/index-words.ts';
import { LINES_OF_COLUMN, ROWS_OF_BUCKET } from '../search/row-sources.ts';
import type { Ask, StoredRow } from './row-walk.ts';

/** Entries of an index read at a time: a millisecond of Redis' time. */
const PAGE = 500;
/** The number of small sets that one pipeline reads. */
const SETS = 200;

/**
 * Compares a portfolio's search indexes with its rows, by digests. The expected index entries of each row are added to one digest during a
 * walk, the actual entries are read once into another; nothing is written. Only valid if no row moves in the meantime.
 *
 * @param kinds `<size> <status>` of all columns (columns.lua); a status without columns of its own is in those of `*`
 */
export function makeSearchMarks(kinds: readonly string[]) {
  const expected = { names: makeMark(), changed: makeMark(), ids: makeMark(), columns: makeMark() };
  const statuses = new Set(kinds.map((kind) => kind.slice(kind.indexOf(' ') + 1)));
  let lastLine = 0;

  return {
    add({ row, field, result }: StoredRow): void {
      const words = indexWords(result.request);
      const end = words.indexOf('\n');
      expected.names.add(`${words.slice(end + 1)}\0${row.key}`);
      expected.changed.add(row.key, Number(field('updated')) / SECOND_MS);
      const digests = end > 0 ? words.slice(0, end).split(' ') : [];
      for (const id of [result.companyId, result.limitId, ...result.documentIds]) if (id) digests.push(idDigest(id));
      for (const digest of digests.length > 1 ? new Set(digests) : digests) {
        expected.ids.add(row.key, Number.parseInt(digest.slice(0, 6), 16), Number.parseInt(digest.slice(6), 16));
      }
      const line = result.line;
      if (line > lastLine) lastLine = line;
      const { amount, status } = placeIn(field('tally'));
      const kind = `${sizeOf(amount)} ${statuses.has(status) ? status : '*'}`;
      expected.columns.add(`${kind} ${row.key}`, Math.floor(line / LINES_OF_COLUMN), Number(amount) * CENTS);
    },

    /** Reads the indexes, and answers whether they match the rows that were added. */
    async areThose(portfolio: string, { connection, keys, ask }: LedgerPlace & { ask: Ask }): Promise<boolean> {
      const places = { connection, keys, ask, portfolio };
      if (!(await readNames(places)).is(expected.names)) return false;
      if (!(await readChanged(places)).is(expected.changed)) return false;
      if (!(await readIds(places, expected.names.state()[0] ?? 0)).is(expected.ids)) return false;
      return (await readColumns(places, kinds, lastLine)).is(expected.columns);
    },
  };
}

/** The number of leaves that one pipeline reads: half a millisecond of Redis' time. */
const LEAVES = 50;

/** Compares the search index of buyers' words with the buyers' records, as {@link makeSearchMarks} does with rows. */
export function makeWordMark() {
  const expected = makeMark();
  return {
    add({ key, record }: { key: string; record: string }): void {
      const words = /"w":"([^"]*)"/.exec(record)?.[1]?.split(' ') ?? [];
      for (const word of new Set(words)) if (word !== '') expected.add(`${word} ${key}`);
    },

    /** Reads the index, and answers whether it has the words that were added, each in its leaf (buyer-words.lua). */
    async isThat({ connection, keys, ask }: Omit<Places, 'portfolio'>): Promise<boolean> {
      const found = makeMark();
      let last = '';
      for (let leaves = ['']; leaves.length > 0; ) {
        const behind = `(${leaves.at(-1)}`;
        const answers = await ask(async () => {
          const step = connection.pipeline().zrange(keys.words, behind, '+', 'BYLEX', 'LIMIT', '0', LEAVES);
          for (const leaf of leaves) step.zrange(keys.leafOfWords(leaf), '0', '-1');
          return answersOf(await step.exec()) as [string[], ...string[][]];
        });
        const [next, ...read] = answers;
        for (const [place, entries] of read.entries()) {
          const leaf = leaves[place] ?? '';
          if (leaf !== '' && (isBefore(entries[0] ?? '', leaf) || !isBefore(last, leaf))) return false;
          for (const entry of entries) found.add(entry);
          last = entries.at(-1) ?? last;
        }
        leaves = next;
      }
      return found.is(expected);
    },
  };
}

/** Whether a text comes before another in the order of Redis, which is that of bytes. */
const isBefore = (one: string, other: string): boolean => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

type Places = LedgerPlace & { ask: Ask; portfolio: string };

/** Factor from an amount to the whole cents that enter the digest. So a difference below a cent mostly leaves the digest as it is. */
const CENTS = 100;

/** Divisor from ms to the whole seconds that enter the digest. So a difference below a second mostly leaves the digest as it is. */
const SECOND_MS = 1_000;

/** Amount and status of a tally, as columns.lua reads them. */
function placeIn(tally: string): { amount: string; status: string } {
  const parts = tally.split('|');
  const [, , requested = ''] = parts;
  const isAmount = requested.length <= 60 && /^\d+\.?\d*$/.test(requested);
  return { amount: isAmount ? requested : '-1', status: parts.slice(7).join('|') };
}

/** The size of an amount, as in columns.lua: the number of digits before the point, then the first digit. */
function sizeOf(amount: string): string {
  if (amount === '-1') return amount;
  const whole = /^0*(\d*)/.exec(amount)?.[1] ?? '';
  return whole === '' ? '0' : `${whole.length}${whole[0]}`;
}

async function readNames({ connection, keys, ask, portfolio }: Places) {
  const mark = makeMark();
  for (let after = '-'; ; ) {
    const entries = await ask(() =>
      connection.zrange(keys.names(portfolio), after, '+', 'BYLEX', 'LIMIT', '0', String(PAGE)),
    );
    for (const entry of entries) mark.add(entry);
    if (entries.length < PAGE) return mark;
    after = `(${entries.at(-1)}`;
  }
}

async function readChanged({ connection, keys, ask, portfolio }: Places) {
  const mark = makeMark();
  for (let from = 0; ; from += PAGE) {
    const members = await ask(() =>
      connection.zrange(keys.changed(portfolio), String(from), String(from + PAGE - 1), 'WITHSCORES'),
    );
    for (let at = 0; at < members.length; at += 2) mark.add(members[at] ?? '', Number(members[at + 1]) / SECOND_MS);
    if (members.length < 2 * PAGE) return mark;
  }
}

/** Reads all entries of a portfolio's index by ids, from the buckets of every level that so many rows make possible (index-entries.lua). */
async function readIds({ connection, keys, ask, portfolio }: Places, rows: number) {
  const mark = makeMark();
  for (let level = 0; level === 0 || ROWS_OF_BUCKET * 4 ** (level - 1) < rows; level += 1) {
    for (let from = 0; from < 4 ** level; from += SETS) {
      const to = Math.min(4 ** level, from + SETS);
      const answers = await ask(async () => {
        const step = connection.pipeline();
        for (let bucket = from; bucket < to; bucket += 1)
          step.zrangeBuffer(keys.ids(portfolio, level, bucket), '0', '-1');
        return answersOf(await step.exec()) as Buffer[][];
      });
      for (const entry of answers.flat()) mark.addBytes(entry, 6, entry.readUIntBE(0, 3), entry.readUIntBE(3, 3));
    }
  }
  return mark;
}

async function readColumns({ connection, keys, ask, portfolio }: Places, kinds: readonly string[], lastLine: number) {
  const mark = makeMark();
  const parted = kinds.map(
    (kind) => [kind, kind.slice(0, kind.indexOf(' ')), kind.slice(kind.indexOf(' ') + 1)] as const,
  );
  const all = Math.floor(lastLine / LINES_OF_COLUMN) + 1;
  for (let column = 0; column < all; column += 1) {
    const answers = await ask(async () => {
      const step = connection.pipeline();
      for (const [, size, status] of parted) {
        step.zrange(keys.column(portfolio, size, column, status), '0', '-1', 'WITHSCORES');
      }
      return answersOf(await step.exec()) as string[][];
    });
    for (const [place, members] of answers.entries()) {
      const kind = parted[place]?.[0] ?? '';
      for (let at = 0; at < members.length; at += 2) {
        mark.add(`${kind} ${members[at]}`, column, Number(members[at + 1]) * CENTS);
      }
    }
  }
  return mark;
}

/**
 * A digest of a set: two sets with equal digests have the same members, except once in 2^64 times. It does not depend on the order of the
 * members, so an index of a million entries is compared with its rows without holding either in memory.
 */
type IndexChecksum = {
  /** Adds a member: a text, and two numbers that belong to it. */
  add(text: string, one?: number, other?: number): void;
  /** Adds a member that is not text, as Redis answers it: all bytes from `from` on. */
  addBytes(bytes: Buffer, from: number, one: number, other: number): void;
  is(other: IndexChecksum): boolean;
  state(): readonly number[];
};

/** The bound below which the sum of a digest is kept, since numbers are exact integers there: sums are taken modulo this number. */
const MODULUS = 2 ** 52;

export function makeMark(): IndexChecksum {
  let [count, sum, both] = [0, 0, 0];
  const take = (high: number, low: number) => {
    count += 1;
    sum = (sum + mixed(high)) % MODULUS;
    both ^= mixed(low ^ Math.imul(high, 0x9e3779b1));
  };
  return {
    add(text, one = 0, other = 0) {
      let [high, low] = [one | 0, other | 0];
      for (let place = 0; place < text.length; place += 1) {
        const code = text.charCodeAt(place);
        high = Math.imul(high ^ code, 0x01000193);
        low = Math.imul(low + code, 0x85ebca6b) ^ (low >>> 13);
      }
      take(high, low);
    },
    addBytes(bytes, from, one, other) {
      let [high, low] = [one | 0, other | 0];
      for (let place = from; place < bytes.length; place += 1) {
        const code = bytes[place] ?? 0;
        high = Math.imul(high ^ code, 0x01000193);
        low = Math.imul(low + code, 0x85ebca6b) ^ (low >>> 13);
      }
      take(high, low);
    },
    is: (other) => other.state().every((value, place) => value === [count, sum, both][place]),
    state: () => [count, sum, both],
  };
}

/** Spreads the bits of a number, so that close numbers end up far apart (the finisher of MurmurHash3). */
function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

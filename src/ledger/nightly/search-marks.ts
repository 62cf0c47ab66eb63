import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { idDigest, indexWords } from '../search/index-words.ts';
import { LINES_OF_COLUMN, ROWS_OF_BUCKET } from '../search/row-sources.ts';
import { makeMark } from './mark.ts';
import type { Ask } from './row-walk.ts';
import type { StoredRow } from './stored-row.ts';

/** Entries of an index read at a time: a millisecond of Redis' time. */
const PAGE = 500;
/** Small sets that are read in one go. */
const SETS = 200;

/**
 * Compares the indexes by which a portfolio's rows are searched with the rows, by marks: what rows are to stand under is taken in as
 * they are walked, what does stand there is read once, and nothing is written. It holds where no row moves meanwhile.
 *
 * @param kinds `<size> <status>` of the columns that there are (columns.lua): a status that has none of its own is in those of `*`
 */
export function makeSearchMarks(kinds: readonly string[]) {
  const expected = { names: makeMark(), ids: makeMark(), columns: makeMark() };
  const statuses = new Set(kinds.map((kind) => kind.slice(kind.indexOf(' ') + 1)));
  let lastLine = 0;

  return {
    add({ row, field, result }: StoredRow): void {
      const words = indexWords(result.request);
      const end = words.indexOf('\n');
      expected.names.add(`${words.slice(end + 1)}\0${row.key}`);
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

    /** Reads the indexes, and answers whether they are those of the rows that were taken in. */
    async areThose(
      portfolio: string,
      { connection, keys, ask }: { connection: RedisConnection; keys: Keys; ask: Ask },
    ): Promise<boolean> {
      const places = { connection, keys, ask, portfolio };
      if (!(await readNames(places)).is(expected.names)) return false;
      if (!(await readIds(places, expected.names.state()[0] ?? 0)).is(expected.ids)) return false;
      return (await readColumns(places, kinds, lastLine)).is(expected.columns);
    },
  };
}

type Places = { connection: RedisConnection; keys: Keys; ask: Ask; portfolio: string };

/** Amounts of whole cents are told apart by all their digits, smaller parts by chance. */
const CENTS = 100;

/** What columns.lua takes from a tally. */
function placeIn(tally: string): { amount: string; status: string } {
  const parts = tally.split('|');
  const [, , requested = ''] = parts;
  const isAmount = requested.length <= 60 && /^\d+\.?\d*$/.test(requested);
  return { amount: isAmount ? requested : '-1', status: parts.slice(7).join('|') };
}

/** As columns.lua has it. */
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

/** The buckets of every level that there may be, see index-entries.lua. */
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

/** @throws the first error among the answers of a pipeline */
function answersOf(answers: readonly (readonly [Error | null, unknown])[] | null): unknown[] {
  return (answers ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}

import type { RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import type { Keys } from '../schema/keys.ts';
import { OPEN_STATES, ROW_STATES, type RowState } from '../schema/row.ts';
import { makeLooks } from './glances.ts';
import { SHARES, type Share } from './row-outcome.ts';

/** The sums of a portfolio's rows, at one moment; amounts are exact decimal text. */
export type Sums = {
  /** The sum that done rows requested; the service has answered these. */
  requested: string;
  /** The sum that all rows requested, except replaced ones. */
  inAllRows: string;
  /** The sum that the rows in each state requested; `cancelled` without replaced rows. */
  byState: Record<RowState, string>;
  /** Number of rows with an unreadable amount, which is in no sum. */
  unreadable: number;
};

/** The sum of the total limits that the service named beside one status and one {@link Share}. */
export type EarlierSum = { status: string; share: Share; granted: string };

/**
 * The sums of done rows with the same status and the same {@link Share} (granted of requested: all, less, nothing): their number, what they
 * requested, and the total and available limits that the service named. `unsaid` is the number of those without an available limit.
 */
export type AnswerSum = EarlierSum & { rows: number; requested: string; available: string; unsaid: number };

/** Everything that rows' tallies add up to (lua/derive.lua): sums and counts. */
export type Tallied = {
  sums: Sums;
  /** Rows with a tally: all rows, except in a ledger of an older version. */
  rows: number;
  /** Cancelled rows that another row replaces, or whose line a replacing file lacks. */
  replaced: number;
  statuses: Record<string, number>;
  /** Done rows by how the service answered; without rows whose tally is of an older version, which has no share. */
  answers: AnswerSum[];
  /** Skipped rows, whose limits were made before, by how the service answered then, and their numbers by status. */
  earlier: EarlierSum[];
  earlierStatuses: Record<string, number>;
  /** Number of done and skipped rows, without those whose tally is of an older version. */
  added: number;
  /** Numbers of done and skipped rows by status: granted less than requested (`below`), and granted nothing. */
  short: { below: Record<string, number>; nothing: Record<string, number> };
};

/** The fields of a portfolio's two hashes of sums. */
type SumFields = readonly Readonly<Record<string, string>>[];

/** Reads the sums. Each row counts in one of the two hashes, so both are added up. A damaged field counts as nothing. */
export function readTallied(sides: SumFields): Tallied {
  const fields = addedUp(sides);
  const inState = ROW_STATES.map((state) => limbsIn(fields, state));
  const answers = answersIn(fields);
  return {
    sums: {
      requested: textOf(limbsIn(fields, 'done')),
      inAllRows: textOf(inState.flat()),
      byState: Object.fromEntries(ROW_STATES.map((state, at) => [state, textOf(inState[at] ?? [])])) as Sums['byState'],
      unreadable: countIn(fields, 'unreadable'),
    },
    answers,
    earlier: earlierIn(fields),
    earlierStatuses: countsIn(fields, 'earlier:'),
    added: rowsOfAnswers(answers) + countIn(fields, 'skipped'),
    short: { below: countsIn(fields, 'below:'), nothing: countsIn(fields, 'nothing:') },
    rows: countIn(fields, 'rows'),
    replaced: countIn(fields, 'replaced'),
    statuses: countsIn(fields, 'status:'),
  };
}

export function rowsOfAnswers(answers: readonly AnswerSum[]): number {
  return answers.reduce((sum, { rows }) => sum + rows, 0);
}

/** Reads all sums whose fields match `begins`, by name, in one pass over the fields. */
function sumsIn(fields: ReadonlyMap<string, bigint>, begins: RegExp): Map<string, string> {
  const limbs = Map.groupBy(
    [...fields].filter(([field]) => begins.test(field)),
    ([field]) => field.slice('sum:'.length, field.lastIndexOf(':')),
  );
  return new Map([...limbs].map(([name, some]) => [name, textOf(limbsIn(new Map(some), name))]));
}

function earlierIn(fields: ReadonlyMap<string, bigint>): EarlierSum[] {
  return [...sumsIn(fields, /^sum:before\//)].flatMap(([name, granted]) => {
    const answer = name.slice('before/'.length);
    const share = SHARES[answer.charAt(0)];
    return share === undefined ? [] : [{ status: answer.slice(1), share, granted }];
  });
}

function answersIn(fields: ReadonlyMap<string, bigint>): AnswerSum[] {
  const sums = sumsIn(fields, /^sum:(?:asked|given|free)\//);
  const sumOf = (name: string) => sums.get(name) ?? '0.00';
  const unsaid = countsIn(fields, 'unsaid:');
  return Object.entries(countsIn(fields, 'answer:')).flatMap(([answer, rows]) => {
    const share = SHARES[answer.charAt(0)];
    const [requested, granted] = [sumOf(`asked/${answer}`), sumOf(`given/${answer}`)];
    const sum = {
      rows,
      requested,
      granted,
      available: sumOf(`free/${answer}`),
      unsaid: Math.max(0, unsaid[answer] ?? 0),
    };
    return share === undefined ? [] : [{ status: answer.slice(1), share, ...sum }];
  });
}

export function readCauseSums(sides: SumFields): (id: string) => { rows: number; sum: string } {
  const fields = addedUp(sides);
  const limbs = Map.groupBy(
    [...fields].filter(([field]) => field.startsWith('sum:cause/')),
    ([field]) => field.split(/[/:]/)[2] ?? '',
  );
  return (id) => ({
    rows: countIn(fields, `cause:${id}`),
    sum: textOf(limbsIn(new Map(limbs.get(id)), `cause/${id}`)),
  });
}

/** The sum in the fields `sum:<name>:<k>`, as decimal text. */
export function sumIn(fields: Readonly<Record<string, string>>, name: string): string {
  return textOf(limbsIn(addedUp([fields]), name));
}

/** Words for people about the sums that are kept separately by how the service answered. */
const BY_ANSWER = {
  answer: 'answer',
  asked: 'requested',
  given: 'granted',
  free: 'available',
  unsaid: 'without available',
  before: 'granted before',
};

/** The names of fields of sums, for people: `queued`, `granted`, `status approved`, `rows`. */
export function namesOfSums(fields: readonly string[]): string[] {
  const names = fields.map((field) => field.replace(/^sum:(.*):-?\d+$/, '$1').replace(/^cause[:/]/, 'cause '));
  const plain = names.map((name) =>
    name
      .replace(/^(status|earlier|below|nothing):/, '$1 ')
      .replace(
        /^(answer|asked|given|free|unsaid|before)[:/]\d/,
        (_, of: keyof typeof BY_ANSWER) => `${BY_ANSWER[of]} `,
      ),
  );
  return [...new Set(plain)].sort();
}

/** A part of an amount: `value` times ten to the `power`. */
type Limb = { power: number; value: bigint };

/** The number of digits of a limb, and the power of ten of a sum's lowest digit, as in derive.lua. */
const LIMB_DIGITS = 10;
const LOWEST_POWER = -2;

function addedUp(sides: SumFields): Map<string, bigint> {
  const fields = new Map<string, bigint>();
  for (const [field, text] of sides.flatMap((side) => Object.entries(side))) {
    if (/^-?\d+$/.test(text)) fields.set(field, (fields.get(field) ?? 0n) + BigInt(text));
  }
  return fields;
}

const countIn = (fields: ReadonlyMap<string, bigint>, field: string): number => Number(fields.get(field) ?? 0n);

function countsIn(fields: ReadonlyMap<string, bigint>, beginning: string): Record<string, number> {
  const counts = [...fields].filter(([field, count]) => field.startsWith(beginning) && count !== 0n);
  counts.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(counts.map(([field, count]) => [field.slice(beginning.length), Number(count)]));
}

function limbsIn(fields: ReadonlyMap<string, bigint>, name: string): Limb[] {
  const beginning = `sum:${name}:`;
  return [...fields]
    .filter(([field]) => field.startsWith(beginning))
    .map(([field, value]) => ({ power: Number(field.slice(beginning.length)) * LIMB_DIGITS + LOWEST_POWER, value }));
}

/** The value of limbs as decimal text, with all its digits and at least two decimals. */
function textOf(limbs: readonly Limb[]): string {
  const decimals = Math.max(2, ...limbs.map(({ power }) => -power));
  const units = limbs.reduce((sum, { power, value }) => sum + value * 10n ** BigInt(power + decimals), 0n);
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '').padEnd(2, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${fraction}`;
}

/** Totals of all rows and portfolios of an account. */
export type RowTotals = {
  rows: Record<RowState, number>;
  portfolios: number;
  /** Portfolios that are not finished, and portfolios that are paused with anything left to do. */
  open: number;
  paused: number;
  /** Open rows of portfolios that are not paused; without rows that wait for an approval. */
  toSend: number;
};

/** The place of held rows in the counts of all states. */
const HELD = ROW_STATES.indexOf('held');

/** Portfolios counted in one script: some milliseconds of Redis' time. */
const PAGE = 500;

/** All processes share one count for this long: ten thousand portfolios cost Redis a tenth of a second. */
const KEPT_MS = 10_000;

/**
 * Counts the rows of all portfolios of an account by state. A recent count of any process is reused, so a fleet counts once every few
 * seconds.
 */
export function makeRowTotals(given: {
  connection: RedisConnection;
  keys: Keys;
  keptMs?: number;
}): () => Promise<RowTotals> {
  const { connection, keys, keptMs = KEPT_MS } = given;
  const looks = makeLooks({ connection, keys });
  return async () => {
    const kept = await connection.get(keys.rowTotals);
    if (kept !== null) return JSON.parse(kept) as RowTotals;
    const sums = ROW_STATES.map(() => 0);
    const totals = { portfolios: 0, open: 0, paused: 0, toSend: 0 };
    for await (const page of looks(ROW_STATES, { count: PAGE })) {
      for (const { finished, paused, counts } of page) {
        totals.portfolios += 1;
        if (finished === '') totals.open += 1;
        if (paused !== '' && (finished === '' || (counts[HELD] ?? 0) > 0)) totals.paused += 1;
        for (const [place, rows] of counts.entries()) {
          sums[place] = (sums[place] ?? 0) + rows;
          if (paused === '' && place < OPEN_STATES.length) totals.toSend += rows;
        }
      }
    }
    const rows = Object.fromEntries(ROW_STATES.map((state, place) => [state, sums[place] ?? 0]));
    const found: RowTotals = { rows: rows as RowTotals['rows'], ...totals };
    await writeAnyway(connection, 'SET', keys.rowTotals, JSON.stringify(found), 'PX', keptMs);
    return found;
  };
}

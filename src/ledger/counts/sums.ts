import type { RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/write-anyway.ts';
import type { Keys } from '../schema/keys.ts';
import { OPEN_STATES, ROW_STATES, type RowState } from '../schema/row.ts';
import { makeLooks } from './glances.ts';

/** What all rows of a portfolio add up to, at one moment; amounts are exact decimal text. */
export type Sums = {
  /** What the service has answered for: over the rows that are done. */
  requested: string;
  /** Over all rows, whatever became of them, but those that another has replaced. */
  inAllRows: string;
  /** Over the rows in one state: `cancelled` without those that another has replaced. */
  byState: Record<RowState, string>;
  /** Over those that are done, as the service answered. */
  granted: string;
  available: string;
  /** Approved limits, done or made before, whose `total_limit` is above zero and less than what was requested. */
  grantedBelow: number;
  /** Approved limits, done or made before, of which nothing was granted: that is a no. */
  grantedNothing: number;
  /** What stood already when its row came (`skipped`): the sum that was granted, and the statuses it was granted with. */
  before: { granted: string; statuses: Record<string, number> };
  /** Rows of which an amount cannot be read; it is in no sum. */
  unreadable: number;
};

/** All that the rows' tallies add up to (lua/derive.lua): the sums, and counts that go with them. */
export type Tallied = {
  sums: Sums;
  /** Rows that have a tally: all of them, except in a ledger of an older version. */
  rows: number;
  replaced: number;
  statuses: Record<string, number>;
  /** Whether rows are counted as an older version did, which counted every answer of less as one below the request. */
  isOlder: boolean;
};

/** The one status that the service shows, of a limit that was granted (docs/service.md, "Status of a limit"). */
export const APPROVED = 'approved';

/** The fields of a portfolio's two hashes of sums. */
export type SumFields = readonly Readonly<Record<string, string>>[];

/** Reads what the rows add up to. A row is on one of two sides, so both are added; a damaged field counts as nothing. */
export function readTallied(sides: SumFields): Tallied {
  const fields = addedUp(sides);
  const inState = ROW_STATES.map((state) => limbsIn(fields, state));
  return {
    sums: {
      requested: textOf(limbsIn(fields, 'done')),
      inAllRows: textOf(inState.flat()),
      byState: Object.fromEntries(ROW_STATES.map((state, at) => [state, textOf(inState[at] ?? [])])) as Sums['byState'],
      granted: textOf(limbsIn(fields, 'granted')),
      available: textOf(limbsIn(fields, 'available')),
      grantedBelow: countIn(fields, `below:${APPROVED}`),
      grantedNothing: countIn(fields, `nothing:${APPROVED}`),
      before: { granted: textOf(limbsIn(fields, 'before')), statuses: countsIn(fields, 'earlier:') },
      unreadable: countIn(fields, 'unreadable'),
    },
    rows: countIn(fields, 'rows'),
    replaced: countIn(fields, 'replaced'),
    statuses: countsIn(fields, 'status:'),
    isOlder: fields.has('below'),
  };
}

/** Reads how many rows failed for each cause, and what they asked for. */
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

/** The sum whose limbs these fields have under `sum:<name>:<k>`, as decimal text. */
export function sumIn(fields: Readonly<Record<string, string>>, name: string): string {
  return textOf(limbsIn(addedUp([fields]), name));
}

/** What is called what in these fields, for people: `queued`, `granted`, `status approved`, `rows`. */
export function namesOfSums(fields: readonly string[]): string[] {
  const names = fields.map((field) => field.replace(/^sum:(.*):-?\d+$/, '$1').replace(/^cause[:/]/, 'cause '));
  return [...new Set(names.map((name) => name.replace(/^(status|earlier|below|nothing):/, '$1 ')))].sort();
}

/** One integer at a power of ten. */
type Limb = { power: number; value: bigint };

/** The digits of a limb, and the power of ten that the lowest stands for (derive.lua). */
const LIMB_DIGITS = 10;
const LOWEST_POWER = -2;

function addedUp(sides: SumFields): Map<string, bigint> {
  const fields = new Map<string, bigint>();
  for (const [field, text] of sides.flatMap((side) => Object.entries(side))) {
    if (/^-?\d+$/.test(text)) fields.set(field, (fields.get(field) ?? 0n) + BigInt(text));
  }
  return fields;
}

function countIn(fields: ReadonlyMap<string, bigint>, field: string): number {
  return Number(fields.get(field) ?? 0n);
}

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

/** The value of limbs, carried: all digits there are, and at least the two decimals that people expect of money. */
function textOf(limbs: readonly Limb[]): string {
  const decimals = Math.max(2, ...limbs.map(({ power }) => -power));
  const units = limbs.reduce((sum, { power, value }) => sum + value * 10n ** BigInt(power + decimals), 0n);
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '').padEnd(2, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${fraction}`;
}

/** What an account has in all. */
export type RowTotals = {
  rows: Record<RowState, number>;
  portfolios: number;
  /** Portfolios with something still to be done, and those that stand still until somebody lets them go on. */
  open: number;
  paused: number;
  /** Open rows of portfolios that are not paused: what waits for a person's approval alone is none of them. */
  toSend: number;
};

/** Portfolios counted in one script: some milliseconds of Redis' time. */
const PAGE = 500;

/** What one process has counted is good for all others for so long: ten thousand portfolios cost Redis a tenth of a second. */
const KEPT_MS = 10_000;

/**
 * Makes a function that counts the rows of all portfolios of an account by state. What was counted lately, by whichever
 * process, is answered again, so a fleet that is looked at every few seconds counts once.
 */
export function makeRowTotals({
  connection,
  keys,
  keptMs = KEPT_MS,
}: {
  connection: RedisConnection;
  keys: Keys;
  keptMs?: number;
}): () => Promise<RowTotals> {
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
        if (paused !== '') totals.paused += 1;
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

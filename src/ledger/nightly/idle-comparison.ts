import { countedStatus } from '../../status-meaning.ts';
import { amountText, limbsOf, plainUnits, shareOf } from '../counts/amounts.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { pairsAsFields, readAtOnce } from '../schema/redis-reads.ts';
import { is, ROW_STATES, type RowState } from '../schema/row.ts';
import type { Ask, StoredRow } from './row-walk.ts';
import { makeMark, makeSearchMarks } from './search-marks.ts';

export type CompareIdle = ReturnType<typeof makeCompareIdle>;
export type IdleComparison = Awaited<ReturnType<CompareIdle>>;

/** Members of an index read at a time. */
const PAGE = 500;

/**
 * Compares a portfolio's sums and indexes (by state, cause, approval and search) with its rows, during a walk of the rows. It reads each
 * index once, writes nothing, and answers `moved` if anything changed in the meantime; most portfolios rest at night. If something differs
 * or moved, the exact comparison (comparison/row-comparison.ts) follows: it works while rows move, names and mends what differs, and
 * costs ten times as much.
 */
export function makeCompareIdle({ connection, keys }: LedgerPlace) {
  /**
   * Reads the fields and sizes that change whenever a row of the portfolio changes. `token`: all of them as one text; if a later token is
   * equal, no row moved in between. The other results are the parts to compare.
   */
  async function lookAt(portfolio: string) {
    const { answers } = await readAtOnce(connection, [
      ['HGETALL', keys.portfolio(portfolio)],
      ['HGETALL', keys.sums(portfolio, 'a')],
      ['HGETALL', keys.sums(portfolio, 'b')],
      ['HKEYS', keys.causes(portfolio)],
      ['SMEMBERS', keys.columns(portfolio)],
      ['ZCARD', keys.names(portfolio)],
      ...ROW_STATES.map((state) => ['ZCARD', keys.rowsInState(portfolio, state)] as const),
    ]);
    const [hash, a, b, causes, kinds, names, ...sizes] = answers;
    return {
      token: JSON.stringify(answers),
      hash: pairsAsFields(hash),
      sums: [pairsAsFields(a), pairsAsFields(b)] as const,
      causes: causes as string[],
      kinds: kinds as string[],
      names: Number(names),
      rows: sizes.reduce((sum: number, size) => sum + Number(size), 0),
    };
  }

  /** @param isSearched whether rows are added to the search indexes */
  return async (portfolio: string, { ask, isSearched }: { ask: Ask; isSearched: boolean }) => {
    const before = await ask(() => lookAt(portfolio));
    const sums = makeRowSums();
    const placed = makePlacedMarks();
    const search = isSearched ? makeSearchMarks(before.kinds) : undefined;
    let rows = 0;
    let differs = false;

    /** Adds a row to the sums and digests. Answers whether the row's fields agree with each other; throws if it is unreadable. */
    const takeIn = (walked: StoredRow, state: RowState): boolean => {
      const { field, at } = walked;
      const tally = field('tally');
      if (field('state') !== state || Number(field('line')) !== at || tally.slice(2) !== tallyOfRow(walked))
        return false;
      sums.add(tally);
      search?.add(walked);
      return placed.add(walked);
    };

    return {
      add(walked: StoredRow, state: RowState): void {
        rows += 1;
        if (differs) return;
        try {
          differs = !takeIn(walked, state);
        } catch {
          differs = true;
        }
      },

      /** Answers, after all rows were added, whether sums and indexes match the rows; `moved` if that cannot be told. */
      async end(): Promise<'as the rows are' | 'differs' | 'moved'> {
        const isStill = async () => (await ask(() => lookAt(portfolio))).token === before.token;
        const found = async () => {
          if (differs || !sums.areThose(...before.sums) || before.rows !== rows) return false;
          if (!isCounted(before.hash, rows)) return false;
          if (!(await placed.areThose(portfolio, before.causes, { connection, keys, ask }))) return false;
          return search === undefined || (await search.areThose(portfolio, { connection, keys, ask }));
        };
        const isRight = await found();
        if (!(await isStill())) return 'moved';
        return isRight ? 'as the rows are' : 'differs';
      },
    };
  };
}

/** Whether `rows`, the number of rows found in the indexes, is the number that was imported. A row in no index makes it smaller. */
function isCounted(hash: Readonly<Record<string, string>>, rows: number): boolean {
  const added = Object.entries(hash).filter(([field]) => field.startsWith('added:'));
  return hash.counted === undefined || added.reduce((sum, [, count]) => sum + Number(count), 0) === rows;
}

/** Digests of the indexes by cause and by approval. */
function makePlacedMarks() {
  const [expected, causes, approvals] = [makeMark(), new Set<string>(), new Set<string>()];
  return {
    /** Adds a row; answers false if it should have a cause and has none. */
    add({ row, at, field }: StoredRow): boolean {
      const [state, cause, approval] = [field('state'), field('cause'), field('approval')];
      if (state === 'awaiting' && approval !== '') {
        approvals.add(approval);
        expected.add(`${approval} ${row.key}`, at);
      }
      if (!is('isFailed', state)) return true;
      causes.add(cause);
      expected.add(`${cause} ${row.key}`, at);
      return cause !== '';
    },
    async areThose(
      portfolio: string,
      known: readonly string[],
      { connection, keys, ask }: LedgerPlace & { ask: Ask },
    ): Promise<boolean> {
      if (!causes.isSubsetOf(new Set(known))) return false;
      const found = makeMark();
      const indexes = [
        ...known.map((cause) => [cause, keys.rowsOfCause(portfolio, cause)] as const),
        ...[...approvals].map((approval) => [approval, keys.approvalRows(portfolio, approval)] as const),
      ];
      for (const [name, index] of indexes) {
        for (let from = 0, more = true; more; from += PAGE) {
          const members = await ask(() =>
            connection.zrange(index, String(from), String(from + PAGE - 1), 'WITHSCORES'),
          );
          for (let at = 0; at < members.length; at += 2) found.add(`${name} ${members[at]}`, Number(members[at + 1]));
          more = members.length === 2 * PAGE;
        }
      }
      return found.is(expected);
    },
  };
}

/** A row's tally as derive.lua makes it, without the side: computed from request and response, to compare it with the field `tally`. */
function tallyOfRow({ field, result }: Pick<StoredRow, 'field' | 'result'>): string {
  const state = field('state');
  const bucket = field('replaced') !== '' && state === 'cancelled' ? 'replaced' : state;
  const asked: unknown = result.request.limit?.requested_limit;
  const requested = amountText(asked ?? '?');
  const short = `${bucket}|${requested}`;
  if (is('isGranted', state)) {
    const record = result.record as Readonly<Record<string, unknown>>;
    const granted = amountText(record.total_limit);
    const available = state === 'skipped' ? '' : amountText(record.available_limit);
    return `${short}|${granted}|${available}|${shareOf(granted, requested)}||${typeof record.status === 'string' ? countedStatus(record.status) : ''}`;
  }
  const cause = is('isFailed', state) ? field('cause') : '';
  return cause === '' ? short : `${short}||||${cause}|`;
}

/**
 * The most rows that are added up in ordinary numbers, before the sums move to exact integers. Each row adds up to 10^10 to a field, and
 * larger numbers would lose precision.
 */
const MOST_UNCARRIED = 100_000;

/** Adds up rows' tallies as derive.lua does, for each side. */
function makeRowSums() {
  const sides: Record<'a' | 'b', Side> = { a: makeSide(), b: makeSide() };
  return {
    /** @param tally a row's tally; an unreadable one adds nothing */
    add(tally: string): void {
      const side = tally[0];
      if (side === 'a' || side === 'b') addTally(sides[side], tally.slice(2));
    },
    /** Whether the portfolio's two hashes of sums are equal to these sums. */
    areThose(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
      return sides.a.is(a) && sides.b.is(b);
    },
  };
}

type Side = ReturnType<typeof makeSide>;

function makeSide() {
  const carried = new Map<string, bigint>();
  let sums = new Map<string, number>();
  let adds = 0;
  const carry = () => {
    for (const [field, sum] of sums) carried.set(field, (carried.get(field) ?? 0n) + BigInt(sum));
    sums = new Map();
    adds = 0;
  };
  return {
    put(field: string, value: number): void {
      sums.set(field, (sums.get(field) ?? 0) + value);
    },
    ofRow(): void {
      adds += 1;
      if (adds > MOST_UNCARRIED) carry();
    },
    is(fields: Readonly<Record<string, string>>): boolean {
      carry();
      const counted = [...carried].filter(([, sum]) => sum !== 0n);
      const kept = Object.entries(fields).filter(([, text]) => text !== '0');
      return kept.length === counted.length && counted.every(([field, sum]) => fields[field] === String(sum));
    },
  };
}

/** Kept names of the fields of states, causes and amounts: there are some hundred, and a million rows use them again and again. */
const plainFields = new Map<string, string>();

function plainField(name: string): string {
  const field = plainFields.get(name) ?? `sum:${name}:0`;
  if (plainFields.size < 1_000) plainFields.set(name, field);
  return field;
}

function addTally(side: Side, tally: string): void {
  const [bucket = '', requested = '', granted = '', available = '', share = '', cause = '', ...rest] = tally.split('|');
  const status = rest.join('|');
  const sum = (name: string, text: string) => {
    const units = plainUnits(text);
    if (units !== undefined) return side.put(plainField(name), units);
    for (const [k, value] of limbsOf(text) ?? []) side.put(`sum:${name}:${k}`, value);
  };
  side.ofRow();
  side.put('rows', 1);
  sum(bucket, requested);
  if (bucket === 'replaced') side.put('replaced', 1);
  if (requested === '?' || granted === '?' || available === '?') side.put('unreadable', 1);
  if (share === '1') side.put('below', 1);
  if (share === '2' || share === '5') side.put(`below:${status}`, 1);
  if (share === '3' || share === '6') side.put(`nothing:${status}`, 1);
  if (bucket === 'done' && share > '3') {
    const answer = `${share}${status}`;
    side.put(`answer:${answer}`, 1);
    sum(`asked/${answer}`, requested);
    sum(`given/${answer}`, granted);
    sum(`free/${answer}`, available);
    if (available === '' || available === '?') side.put(`unsaid:${answer}`, 1);
  } else if (bucket === 'done') {
    sum('granted', granted);
    sum('available', available);
  }
  if (bucket === 'done') {
    if (status !== '') side.put(`status:${status}`, 1);
  } else if (bucket === 'skipped') {
    if (share > '3') side.put('skipped', 1);
    sum(share > '3' ? `before/${share}${status}` : 'before', granted);
    side.put(`earlier:${status}`, 1);
  }
  if (cause !== '') {
    side.put(`cause:${cause}`, 1);
    sum(`cause/${cause}`, requested);
  }
}

import { counted, moneyText } from '../../counted.ts';
import { exactText, type GrantedSums, type OutcomeSum, soleCurrency } from './outcome-sums.ts';
import { ANSWER_OUTCOMES, ROW_OUTCOMES, type RowOutcome } from './row-outcome.ts';
import type { Sums } from './sums.ts';

/**
 * The buckets in which the lines of a file are counted, by what became of the line, in the order of reports. Each line counts in one
 * bucket, with the amount that it asks for.
 */
export const BUCKETS = {
  left_out: { words: 'left out', outcomes: [] },
  requested_before: { words: 'requested before', outcomes: ['requested_before'] },
  not_sent: { words: 'not sent', outcomes: ['not_sent'] },
  waiting: { words: 'waiting', outcomes: ['waiting', 'sending', 'awaiting_approval'] },
  rejected: { words: 'rejected by the service', outcomes: ['rejected'] },
  needs_answer: { words: 'needs an answer', outcomes: ['needs_answer'] },
  requested: { words: 'requested', outcomes: ANSWER_OUTCOMES },
} as const satisfies Record<string, { words: string; outcomes: readonly RowOutcome[] }>;

type BucketName = keyof typeof BUCKETS;

/**
 * The sum of invalid and duplicate lines that count as no row. `bare` counts those that are in no sum: `foreign` of them are in another
 * currency, `long` have too many digits, and the rest have no readable amount.
 */
export type LeftOut = { amount: string; bare: number; foreign?: number | undefined; long?: number | undefined };

type Outcomes = Readonly<Record<RowOutcome, OutcomeSum>>;

/** Lines and the sum of their amounts, as exact decimal text. */
type Bucket = { lines: number; amount: string };

/**
 * The money of a portfolio's file: `in_file` is the sum of all buckets, and `granted` is what the service granted of `requested`, with the
 * number of rows approved at least in part.
 *
 * `left_out` has no amount if an older version imported its lines; then `in_file` is `at_least` its amount. Lines `without_amount` are in
 * no sum: some of them are `in_another_currency`, and some have `too_many_digits`. `with_earlier`: rows of earlier imports count too.
 * `currencies`: those that the files name. Amounts of several are added up as they are, since the service is told none.
 * `without_currency`: some file names none.
 */
export type Money = Record<Exclude<BucketName, 'left_out'> | 'granted', Bucket> & {
  in_file: Bucket & { at_least?: true; with_earlier?: true };
  left_out: Pick<Bucket, 'lines'> &
    Partial<Bucket> &
    Partial<Record<'without_amount' | 'in_another_currency' | 'too_many_digits', number>>;
  currencies?: string[];
  without_currency?: true;
};

type MoneyFacts = {
  invalid: number;
  duplicate: number;
  leftOut: LeftOut | undefined;
  /** The number of the last import. `counted.added` has how many rows each import added, by the import's number. */
  file?: { number: number } | undefined;
  counted?: { added: Readonly<Record<string, number>> } | undefined;
  currencies?: string[];
  /** Whether a file is not read to its end: it may be in another currency. */
  importing?: boolean;
  interrupted?: boolean;
};

/** Counts what became of the money of all lines, by the outcomes of their rows. */
export function moneyOf(
  {
    invalid,
    duplicate,
    leftOut,
    file,
    counted: brought,
    currencies = [],
    importing = false,
    interrupted = false,
  }: MoneyFacts,
  outcomes: Outcomes,
): Money {
  const lines = invalid + duplicate;
  const isKnown = currencies.length > 1 || soleCurrency({ currencies, importing, interrupted }) !== undefined;
  const named = isKnown ? currencies.filter((one) => one !== '') : [];
  const isWithEarlier = Object.keys(brought?.added ?? {}).some((number) => Number(number) !== file?.number);
  const sumOf = (some: readonly RowOutcome[], field: 'requested' | 'granted' = 'requested'): Bucket => ({
    lines: some.reduce((sum, one) => sum + outcomes[one].rows, 0),
    amount: exactText(some.map((one) => outcomes[one][field])),
  });
  const { left_out: _none, ...ofRows } = BUCKETS;
  const sums = Object.fromEntries(
    Object.entries(ofRows).map(([name, { outcomes: some }]) => [name, sumOf(some)]),
  ) as Record<keyof typeof ofRows, Bucket>;
  const parts = [...Object.values(sums), { lines, amount: leftOut?.amount ?? '0' }];
  return {
    in_file: {
      lines: parts.reduce((sum, part) => sum + part.lines, 0),
      amount: exactText(parts.map(({ amount }) => amount)),
      ...(leftOut === undefined && { at_least: true }),
      ...(isWithEarlier && { with_earlier: true }),
    },
    left_out: {
      lines,
      ...(leftOut && { amount: leftOut.amount }),
      ...(leftOut?.bare && { without_amount: leftOut.bare }),
      ...(leftOut?.foreign && { in_another_currency: leftOut.foreign }),
      ...(leftOut?.long && { too_many_digits: leftOut.long }),
    },
    ...sums,
    granted: {
      lines: outcomes.approved.rows + outcomes.partly_approved.rows,
      amount: sumOf(ANSWER_OUTCOMES, 'granted').amount,
    },
    ...(named.length > 0 && { currencies: named }),
    ...(named.length > 0 && named.length < currencies.length && { without_currency: true }),
  };
}

/** A line of the table of money: level 0 is the whole file, level 1 a part of it such as "rejected", level 2 an outcome within "requested". */
export type MoneyLine = {
  level: 0 | 1 | 2;
  words: string;
  /** Outcomes of the rows that the line counts; empty for lines that led to no row. */
  outcomes: readonly RowOutcome[];
  lines: number;
  amount: string | undefined;
  granted?: string;
};

/**
 * The lines of the table of money: the whole file, each bucket that has lines, and the outcomes of each bucket. A bucket with a single
 * outcome is replaced by that outcome, except the bucket `requested`.
 */
export function moneyLines(money: Money, outcomes: Outcomes): MoneyLine[] {
  const { lines, amount, at_least: isLeast, with_earlier: isWithEarlier } = money.in_file;
  const whole = isWithEarlier ? 'in the last and earlier imports' : 'in the file';
  const lineOf = (one: RowOutcome, level: 1 | 2, isGranted: boolean): MoneyLine => {
    const { rows, requested, granted } = outcomes[one];
    const told = {
      level,
      words: one === 'waiting' && level === 2 ? 'not begun' : ROW_OUTCOMES[one],
      outcomes: [one],
      lines: rows,
      amount: requested,
    };
    return isGranted ? { ...told, granted } : told;
  };
  const buckets = Object.entries(BUCKETS).flatMap(([name, { words, outcomes: all }]): MoneyLine[] => {
    const of = money[name as BucketName];
    if (of.lines === 0) return [];
    const [isRequested, some] = [name === 'requested', all.filter((one: RowOutcome) => outcomes[one].rows > 0)];
    const [only, ...others] = some;
    if (only && others.length === 0 && !isRequested) return [lineOf(only, 1, only === 'requested_before')];
    const bucket: MoneyLine = { level: 1, words, outcomes: all, lines: of.lines, amount: of.amount };
    if (isRequested) bucket.granted = money.granted.amount;
    return [bucket, ...some.map((one) => lineOf(one, 2, isRequested))];
  });
  return [{ level: 0, words: `${whole}${isLeast ? ', at least' : ''}`, outcomes: [], lines, amount }, ...buckets];
}

/** The word for amounts, with the currency where all files name one: `amount, EUR`. */
export function amountHead(money: Currencies): string {
  const currency = onlyCurrency(money);
  return currency === undefined ? 'amount' : `amount, ${currency}`;
}

type Currencies = Pick<Money, 'currencies' | 'without_currency'>;

/** The currency, if all files name the same one; else undefined. */
export function onlyCurrency({ currencies = [], without_currency: isBare }: Currencies): string | undefined {
  return currencies.length === 1 && !isBare ? currencies[0] : undefined;
}

/** A sentence about a sum of amounts in several currencies. Empty if all amounts have one currency, or none has one. */
export function mixedNote({ currencies = [], without_currency: isBare }: Currencies): string[] {
  if (currencies.length < 2 && !isBare) return [];
  const names = currencies.join(', ');
  const files = isBare
    ? `Some files name ${names}, and some no currency`
    : `The files name several currencies (${names})`;
  return [`${files}; the sums add all amounts as they are.`];
}

/** Sentences that go with the table of money: the part of the limits that is still available, and the amounts that are in no sum. */
export function moneyNotes(
  money: Money,
  given: Pick<GrantedSums, 'available' | 'withoutAvailable'> & Pick<Sums, 'unreadable'>,
): string[] {
  const { available, withoutAvailable, unreadable } = given;
  const { left_out: left, in_file: all, granted } = money;
  return [
    ...mixedNote(money),
    ...availableNote(granted.lines, { available, withoutAvailable }, onlyCurrency(money)),
    ...(unreadable > 0
      ? [
          `Of ${counted(unreadable, 'row')} an amount cannot be read: that amount is in no sum, and the others of the row are.`,
        ]
      : []),
    ...unsummedNote(left),
    ...(all.at_least ? ['An older version of Limitline imported the lines left out, and kept no sum of them.'] : []),
  ];
}

function unsummedNote(given: Money['left_out']): string[] {
  const { without_amount: all = 0, in_another_currency: foreign = 0, too_many_digits: long = 0 } = given;
  if (all === 0) return [];
  const unread = all - foreign - long;
  const reasons = [
    ...(foreign > 0 ? [`${counted(foreign, 'is', 'are')} in another currency`] : []),
    ...(long > 0 ? [`${counted(long, 'has', 'have')} an amount of too many digits`] : []),
    ...(unread > 0
      ? [`${counted(unread, 'is a total or has', 'are totals or have')} no amount above zero that can be read`]
      : []),
  ];
  return [
    `Of the lines left out, ${reasons.join(', ')}: ${all === 1 ? 'it is' : 'they are'} in no sum, and among the lines to fix.`,
  ];
}

function availableNote(
  limits: number,
  { available, withoutAvailable: bare }: Pick<GrantedSums, 'available' | 'withoutAvailable'>,
  currency: string | undefined,
): string[] {
  if (limits === 0) return [];
  if (bare >= limits) return ['Of what was granted it is not known what is available.'];
  const without = bare > 0 ? `, and of ${counted(bare, 'limit')} it is not known` : '';
  return [`Available of what was granted: ${moneyText(available, currency)}${without}.`];
}

import { grouped } from '../../counted.ts';
import { withoutTextMark } from '../../table/formulas.ts';
import { type Column, placeOf } from '../columns/column.ts';
import { currenciesBeside } from '../columns/doubtful-currencies.ts';
import { makeProblem, type Problem, visible, WHOLE_FILE } from '../problem.ts';
import { readUnit } from '../values/amount-unit.ts';
import { parseAmount } from '../values/amounts.ts';
import { type Currency, common, currencyOf } from '../values/currencies.ts';
import { readNull } from '../values/identifiers.ts';
import { beforeDoubt } from '../values/reading.ts';
import type { LineDraft, Values } from './read-cells.ts';

/**
 * Ensures that a file has one currency. The call has no currency field, so a limit of USD 1,000 among limits in EUR
 * would be requested as EUR. Compared are the currency column, another one that is called so too, the unit in the amounts' header, and a code
 * or sign beside an amount or in its number format. A line without any of them has the file's currency. If only some lines name it, a warning says how many.
 * If few lines name it and the first does not, the file's currency stays unknown, and these lines have a warning.
 */
export type CurrencyCheck = ReturnType<typeof makeCurrencyCheck>;

/** A currency that a line names, as written, and its column. */
type Said = { at: number; word: string; currency: Currency; isFormat?: boolean };

/** Most characters of a currency in a message if it is no ISO 4217 code. */
const MOST_OF_WORD = 20;

/** Most lines with a warning that they name a currency and others do not. The warning of the whole file counts them all. */
const MOST_WARNED = 10;

/** So many lines without a currency for each that names one make it few: they may be the exceptions. */
const SILENT_FOR_ONE = 3;

/** The mark that is put before an amount when its line, in another currency than its file, is copied into another file. */
const MARK = '? ';

/** The amount with a mark that makes it invalid until a person corrects the cell. */
export function withCurrencyDoubt(amount: string): string {
  return amount.startsWith(MARK) ? amount : `${MARK}${amount.trim()}`;
}

export function makeCurrencyCheck(asked: { columns: readonly Column[]; constants?: Values | undefined }) {
  const { columns, constants = {} } = asked;
  const currencyAt = placeOf(columns, 'currency');
  const amountAt = placeOf(columns, 'requested_limit');
  const besideAt = currenciesBeside(columns).map(({ index }) => index);
  let file = firstOf({ 'the header': columns[amountAt]?.currency, 'the mapping': constants.currency });
  const untold = MAY_NAME_ONE.test(columns[amountAt]?.written ?? '') ? UNTOLD : null;
  let unknown: Problem | undefined;
  let [naming, silentBefore] = [0, 0];
  const silent = { lines: 0, last: 0 };
  const unwarned: { draft: Pick<LineDraft, 'doubts'>; problem: Problem }[] = [];

  function* saidBy(cells: readonly string[]): Generator<Said> {
    // Beside a currency of the team's own, such as LCY, another column says nothing: it may be that currency.
    const isOwn = besideAt.length === 0 || currencyOf(wordAt(cells, currencyAt)) === null;
    for (const at of isOwn ? [currencyAt, amountAt] : [currencyAt, ...besideAt, amountAt]) {
      const cell = wordAt(cells, at);
      const word = at === amountAt ? besideAmount(cell) : cell;
      const currency = at === currencyAt ? readColumn(word) : currencyOf(word);
      // A unit such as thousands is no currency; it is reported as a problem of its own.
      if (word !== '' && currency && 'value' in readUnit(word)) yield { at, word, currency };
    }
  }

  /** Whether lines alone name the currency, not the first of them, and few of those read so far. */
  function areFew(): boolean {
    return silentBefore > 0 && naming * SILENT_FOR_ONE <= silent.lines && file?.where.startsWith('line ') === true;
  }

  /** Counts a line that names no currency, if it has an amount and may be requested. */
  function addSilent({ record, values, problems }: Pick<LineDraft, 'record' | 'values' | 'problems'>): void {
    if (problems.length > 0 || values.requested_limit === undefined) return;
    silent.lines += 1;
    silent.last = record.line;
  }

  function judge(draft: Pick<LineDraft, 'record' | 'values' | 'problems' | 'currency' | 'doubts'>): void {
    const { record, problems } = draft;
    const { line, cells, fault, sheet } = record;
    const shown = sheet?.shown?.get(amountAt)?.currency ?? '';
    if (fault) return;
    if (currencyAt === -1 && shown === '' && isBare(cells[amountAt])) return void addSilent(draft);
    const add = (at: number, message: string) =>
      problems.push(makeProblem(line, columns[at]?.written ?? null, cells[at]?.trim() ?? null, message));
    if (cells[amountAt]?.startsWith(MARK)) {
      // The marked cell also failed as an amount. That problem is a consequence, so it is removed.
      problems.splice(0, problems.length, ...problems.filter(({ column }) => column !== columns[amountAt]?.written));
      return void add(amountAt, MARKED);
    }
    const markedAt = [currencyAt, ...besideAt].find((at) => beforeDoubt(cells[at]?.trim() ?? '') !== null);
    if (markedAt !== undefined) return void add(markedAt, MARKED);
    // Beside a currency of the team's own, such as LCY, a format says nothing: it may be that currency.
    const isOwn = [wordAt(cells, currencyAt) || file?.word].some((word) => word && currencyOf(word) === null);
    const currency = isOwn ? null : currencyOf(shown);
    const byFormat: Said[] = currency ? [{ at: amountAt, word: shown, currency, isFormat: true }] : [];
    const written = [...saidBy(cells)];
    for (const said of [...written, ...byFormat]) {
      const both = file ? common(file.currency, said.currency) : said.currency;
      // In a file of text, only the currency beside the amount says that the line differs.
      if (both === null && said.isFormat) cells[amountAt] = `${cells[amountAt]} ${shown}`;
      if (both === null) {
        const column = said.at === amountAt ? undefined : columns[said.at]?.written;
        return void add(said.at, differs(said, column, file));
      }
      file = { word: file?.word ?? said.word, where: file?.where ?? `line ${line}`, currency: both };
      if (said.at === currencyAt && currencyOf(said.word) === null) {
        unknown ??= makeProblem(line, columns[said.at]?.written ?? null, said.word, UNKNOWN);
      }
    }
    if (currency && written.length === 0) draft.currency = besideAmountOf(currency, shown);
    if (!currency && written.length === 0) return void addSilent(draft);
    if (naming === 0) silentBefore = silent.lines;
    naming += 1;
    const said = written[0] ?? byFormat[0];
    if (!said || naming > MOST_WARNED) return;
    const value = cells[said.at]?.trim() ?? null;
    unwarned.push({ draft, problem: makeProblem(line, columns[said.at]?.written ?? null, value, alone(said.word)) });
  }

  /**
   * Warns if only some lines name the currency, since the amounts of the others count in it as well. Accountants often write it on the first
   * line alone, which says it for all.
   */
  function* silentWarning(): Generator<Problem> {
    const isFirstAlone = naming === 1 && silentBefore === 0;
    if (naming === 0 || isFirstAlone || silent.lines === 0 || !file?.where.startsWith('line ')) return;
    const lines = `${grouped(naming)} of ${grouped(naming + silent.lines)} lines ${naming === 1 ? 'names' : 'name'}`;
    const first = `${visible(file.word).slice(0, MOST_OF_WORD)}, first on ${file.where}`;
    const others = silent.lines === 1 ? `amount of the other, on line ${silent.last}, is` : 'amounts of the others are';
    const message = `Only ${lines} a currency (${first}): check that the ${others} in it too.`;
    yield makeProblem(WHOLE_FILE, null, null, message);
  }

  return {
    /** Adds a problem to a line whose currency differs from the first one in the file. Lines must come in file order. */
    judge,
    /** Gives the lines that were judged since the last call a warning if few lines name the currency. */
    warnFew(): void {
      const some = unwarned.splice(0);
      if (areFew()) for (const { draft, problem } of some) draft.doubts = [problem];
    },
    /** The index of the column in which a line names another currency than the file's, or a mark says that it does; null if none does. */
    conflictAt(cells: readonly string[]): number | null {
      for (const { at, currency } of saidBy(cells)) if (file && common(file.currency, currency) === null) return at;
      return cells[amountAt]?.startsWith(MARK) ? amountAt : null;
    },
    /**
     * The currency of a line: the one that it names, else the one that the file has named so far; null if neither does. Unknown where the
     * header may name one.
     */
    currencyOf: (cells: readonly string[]): Currency | null =>
      [...saidBy(cells)].at(-1)?.currency ?? (areFew() ? undefined : file?.currency) ?? untold,
    /** The file's currency as named so far: its ISO 4217 code, or what is written where that may mean several or none. Undefined if few lines name it. */
    ofFile: (): string | undefined => {
      if (areFew()) return undefined;
      const [code = '', ...others] = file?.currency ?? [];
      if (others.length === 0 && currencyOf(code)) return code;
      return file ? visible(file.word).slice(0, MOST_OF_WORD) : undefined;
    },
    /** Warnings that are given once at the end. */
    fileWarnings: (): Problem[] => [...(unknown ? [unknown] : []), ...silentWarning()],
  };
}

/** A header's name that may name a currency which is not read: a sign, three capitals in brackets, a letter of another script than Latin. */
const MAY_NAME_ONE = /\p{Sc}|[([]\s*[A-Z]{3}\s*[)\]]|(?=\p{L})\P{Script=Latin}/u;

/** The currency of a line that names none, if the header may name one that is not read: XXX, the code of ISO 4217 for no currency. */
const UNTOLD: Currency = new Set(['XXX']);

const MARKED =
  "The question mark says that this line's currency differs from that of its file: write the amount in the currency of the other lines, or import these lines as a file of their own, without the question mark.";

const UNKNOWN =
  'This is not a currency code of ISO 4217, such as EUR: Limitline only checks that all lines have the same text here, and does not send the text.';

/**
 * A currency as it is read beside an amount: its code, or the sign if that may mean several currencies. Undefined for words that are not read
 * there, such as "Dollar".
 */
function besideAmountOf(currency: Currency, sign: string): string | undefined {
  const [code = '', ...others] = currency;
  const text = others.length === 0 ? code : sign.toLowerCase();
  return 'value' in parseAmount(`1 ${text}`) ? text : undefined;
}

/** The text of a cell, without the mark of a text in a spreadsheet; '' for the word that a database writes for a missing value. */
function wordAt(cells: readonly string[], at: number): string {
  const text = withoutTextMark(cells[at]?.trim() ?? '');
  return readNull(text) ? '' : text;
}

type FileCurrency = { word: string; where: string; currency: Currency };

function firstOf(words: Record<string, string | null | undefined>): FileCurrency | null {
  for (const [where, word] of Object.entries(words)) {
    const currency = word ? readColumn(word) : null;
    if (word && currency) return { word, where, currency };
  }
  return null;
}

/**
 * The currency that a word names in the currency column or in the header of the amounts. An unknown code counts as a currency of its own: a
 * whole list may be in "LCY".
 */
const readColumn = (word: string): Currency => currencyOf(word) ?? new Set([word.toUpperCase()]);

function differs({ word, isFormat }: Said, column: string | undefined, file: FileCurrency | null): string {
  const first = file ? `${file.where === 'the header' ? 'the header says' : `${file.where} says`} ${file.word}` : '';
  const remedy = isFormat
    ? OTHER_FORMAT
    : column === undefined
      ? OTHER_SIGN
      : `if the column means something else, say --map "${column}="`;
  return `The currency is ${word}, but ${first}. Requests carry no currency, so all lines of a file must have the same one: put the lines in ${word} into a file of their own; ${remedy}.`;
}

function alone(word: string): string {
  return `This line names a currency (${visible(word).slice(0, MOST_OF_WORD)}), and most lines of the file name none. Requests carry no currency: if this amount is in another one than theirs, put the line into a file of its own.`;
}

/** Beside the amounts: no other meaning of their column would help. */
const OTHER_SIGN = 'if only the currency beside this amount is wrong, correct it';

const OTHER_FORMAT = 'if only the number format of the cells is wrong, choose the right one, or one without a currency';

/** Whether an amount has neither a code nor a sign, as most have. */
const isBare = (amount: string | undefined): boolean => amount === undefined || !BESIDE.test(amount);

const BESIDE = /[^\d.,:/'’\s+()\u2012-\u2015-]/;

/** The currency beside an amount: `€` of `€ 1.000,00`, `USD` of `1,000 USD`, '' if there is none. */
export function besideAmount(cell: string): string {
  return isBare(cell) ? '' : cell.replace(/[\d.,:/'’\s+()?_\u2012-\u2015\u2212-]/g, '');
}

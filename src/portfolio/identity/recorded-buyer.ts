import { withoutTextMark } from '../../table/formulas.ts';
import { columnsThat, type KnownColumn } from '../columns/known-columns.ts';
import { KNOWN_COLUMN } from '../columns/result-columns.ts';
import { digestOf } from './digest.ts';
import { type BuyerLine, squeeze } from './identity.ts';

/**
 * What a results file records of a row's buyer. The cells alone do not determine the buyer: people and spreadsheets
 * change them, and other lines and files influenced the decision.
 */
export type RecordedBuyer = {
  /** The buyer's key. */
  buyer: string;
  /** Digest of the request, as the ledger has it. */
  asked: string;
  /** Digest of the cells that identify a buyer. It shows whether somebody changed them. */
  cells: string;
  /** The requested limit, canonical decimal text. */
  amount: string;
  /** Whether the line's cells are those from which the row was made. Otherwise the line has a problem, and is only counted under that row. */
  isOwn: boolean;
};

/** The record as one cell's text. No spreadsheet takes it for a number, a date or a formula. */
export function recordedBuyerText({ buyer, asked, cells, amount, isOwn }: RecordedBuyer): string {
  return [isOwn ? 'own' : 'other', buyer, asked, cells, amount].join(':');
}

/** Parses the text that {@link recordedBuyerText} made; undefined if it is empty or was changed. */
export function readRecordedBuyer(text: string): RecordedBuyer | undefined {
  const [, whose, buyer = '', asked = '', cells = '', amount = ''] = FORM.exec(text.trim()) ?? [];
  return whose === undefined ? undefined : { buyer, asked, cells, amount, isOwn: whose === 'own' };
}

/** The form of a recorded buyer's text. Digests in it are 16 characters of base64url. */
const FORM = /^(own|other):([\w-]{16}):([\w-]{16}):([\w-]{16}):(\d+(?:\.\d+)?)$/;

const TELLING = columnsThat(({ isOfBuyer }) => isOfBuyer === true);

/** Digests the cells that identify the buyer, independent of column names and order. */
export function digestOfCells(columns: readonly (KnownColumn | null)[]): (cells: readonly string[]) => string {
  const places = TELLING.flatMap((known) => (columns.includes(known) ? [columns.indexOf(known)] : []));
  return (cells) => {
    const told = places.flatMap((place) => {
      const text = squeeze(withoutTextMark(cells[place] ?? ''));
      return text === '' ? [] : [`${columns[place]} ${text}`];
    });
    return digestOf(told.join('\n'));
  };
}

/** Looks up a line's buyer in a results file: the buyer's key, '' for a line without a row, undefined where its cells were changed. */
export type RecordedBuyerLookup = (line: BuyerLine, cells: readonly string[]) => string | undefined;

/** Makes the lookup for a file with these columns; undefined if none of them records the buyers. */
export function makeRecordedBuyerLookup(
  columns: readonly { written: string; known: KnownColumn | null }[],
  rowAt: number,
): RecordedBuyerLookup | undefined {
  const at = columns.findLastIndex(({ written }) => written.trim() === KNOWN_COLUMN);
  if (at === -1) return undefined;
  const digest = digestOfCells(columns.map(({ known }) => known));
  return (line, cells) => {
    const known = readRecordedBuyer(cells[at] ?? '');
    const key = withoutTextMark(cells[rowAt] ?? '')
      .trim()
      .replace(/^.*\//, '');
    if (!known) return key === '' ? '' : undefined;
    return digest(cells) === known.cells && isOfRow(line, key, known) ? known.buyer : undefined;
  };
}

/** Whether the row's key follows from this buyer. A request_reference alone decides a key, so it proves no buyer. */
function isOfRow({ rowOf, identifiers }: BuyerLine, key: string, { buyer, isOwn }: RecordedBuyer): boolean {
  if (rowOf(buyer) !== key) return false;
  const isNamed = rowOf('') === key;
  return isOwn || !isNamed || identifiers[0]?.digest === buyer;
}

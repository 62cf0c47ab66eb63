import { withoutApostrophe } from '../../table/formulas.ts';
import { columnsThat, type KnownColumn } from '../columns/known-columns.ts';
import { KNOWN_COLUMN } from '../columns/result-columns.ts';
import type { BuyerLine } from './buyer.ts';
import { digestOf } from './digest.ts';
import { squeeze } from './identity.ts';

/**
 * What a results file records of a row's buyer that cells do not tell for certain, since people and spreadsheets change them, and
 * other lines and files had a say in it.
 */
export type RecordedBuyer = {
  /** The buyer's key. */
  buyer: string;
  /** Digest of what was asked for. */
  asked: string;
  /** Digest of the cells beside it that tell a buyer, by which it is seen whether somebody changed them. */
  cells: string;
  /** Canonical decimal text of the limit that was asked for. */
  amount: string;
  /** Whether the cells are the row's own; else of a line with a fault, that only counts as the row. */
  isOwn: boolean;
};

/** It in one cell. No spreadsheet takes it for a number, a day or a formula. */
export function recordedBuyerText({ buyer, asked, cells, amount, isOwn }: RecordedBuyer): string {
  return [isOwn ? 'own' : 'other', buyer, asked, cells, amount].join(':');
}

/** What such a cell says; nothing where it is empty, or somebody changed it. */
export function readRecordedBuyer(text: string): RecordedBuyer | undefined {
  const [, whose, buyer = '', asked = '', cells = '', amount = ''] = FORM.exec(text.trim()) ?? [];
  return whose === undefined ? undefined : { buyer, asked, cells, amount, isOwn: whose === 'own' };
}

/** Digests are 16 characters of base64url. */
const FORM = /^(own|other):([\w-]{16}):([\w-]{16}):([\w-]{16}):(\d+(?:\.\d+)?)$/;

const TELLING = columnsThat(({ isOfBuyer }) => isOfBuyer === true);

/** Digests those of a line's cells that tell its buyer, whatever their columns are called and wherever they stand. */
export function digestOfCells(columns: readonly (KnownColumn | null)[]): (cells: readonly string[]) => string {
  const places = TELLING.flatMap((known) => (columns.includes(known) ? [columns.indexOf(known)] : []));
  return (cells) => {
    const told = places.flatMap((place) => {
      const text = squeeze(withoutApostrophe(cells[place] ?? ''));
      return text === '' ? [] : [`${columns[place]} ${text}`];
    });
    return digestOf(told.join('\n'));
  };
}

/**
 * Looks up whom a results file records as a line's buyer: the buyer's key, '' for a line without a row, undefined where its
 * cells are not to be believed in that.
 */
export type RecordedBuyerLookup = (line: BuyerLine, cells: readonly string[]) => string | undefined;

/** Makes that lookup; undefined for a file without such a column. */
export function makeRecordedBuyerLookup(
  columns: readonly { written: string; known: KnownColumn | null }[],
  rowAt: number,
): RecordedBuyerLookup | undefined {
  const at = columns.findLastIndex(({ written }) => written.trim() === KNOWN_COLUMN);
  if (at === -1) return undefined;
  const digest = digestOfCells(columns.map(({ known }) => known));
  return (line, cells) => {
    const known = readRecordedBuyer(cells[at] ?? '');
    const key = withoutApostrophe(cells[rowAt] ?? '')
      .trim()
      .replace(/^.*\//, '');
    if (!known) return key === '' ? '' : undefined;
    return digest(cells) === known.cells && isOfRow(line, key, known) ? known.buyer : undefined;
  };
}

/** Whether the line was told to be that buyer. With a reference its row does not say so: another's may bear the same. */
function isOfRow({ rowOf, identifiers }: BuyerLine, key: string, { buyer, isOwn }: RecordedBuyer): boolean {
  if (rowOf(buyer) !== key) return false;
  const isNamed = rowOf('') === key;
  return isOwn || !isNamed || identifiers[0]?.digest === buyer;
}

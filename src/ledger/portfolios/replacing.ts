import { groupedAmount } from '../../counted.ts';
import { heldRemedy } from '../../held-remedy.ts';
import type { BuyerRow } from '../rows/buyer-rows.ts';
import { is } from '../schema/row.ts';
import { type RowId, rowName } from '../schema/schema.ts';

/** A line that is about to be imported. */
export type AskingLine = {
  row: RowId;
  line: number;
  /** The number of the import that brings the line in. */
  importId: string;
  /** The requested limit, as canonical decimal text. */
  amount: string;
  /** Whether the line names its request by a request_reference. */
  isNamed: boolean;
};

/** The file of a line. `has`: whether a line of it has this request. `mends`: whether a line of it names this row as the one to correct. */
export type OwnFile = { has(key: string): boolean; mends(key: string): boolean };

/** The decision on rows that a line may correct: the one it replaces, or none, or a problem in words. */
export type ReplacingDecision = { replaces: BuyerRow | undefined } | { problem: string };

/**
 * Rows of the same buyer and portfolio that a line may correct, as far as is known before the rest of the file is read. These are rows of
 * earlier imports, and the row that this line led to if it was read differently before. A line with a request_reference, or with a row of
 * its own, corrects none: it is clear which request it means.
 */
export function candidatesFor(asking: AskingLine, rows: readonly BuyerRow[]): BuyerRow[] {
  const { row, line, importId, isNamed } = asking;
  const own = rows.find((one) => rowName(one.row) === rowName(row));
  if (isNamed || (own && own.state !== 'cancelled')) return [];
  return rows.filter(
    (one) =>
      one.row.portfolio === row.portfolio &&
      one !== own &&
      // A line that revives its own cancelled row corrects no other cancelled row.
      !(own && one.state === 'cancelled' && !one.replaced?.key) &&
      (one.importId !== importId || one.line === line || one.replaced?.importId === importId),
  );
}

/**
 * Decides which candidate a line replaces. If one row of the buyer was not sent and its own line is not in the file, the line corrects it.
 * A row that was sent keeps its request, and the line is a new one. It is a problem if several rows qualify, if the outcome of one is
 * unknown or one is being sent, or if another line of the file has replaced the row.
 */
export function decideReplacement(
  asking: AskingLine,
  candidates: readonly BuyerRow[],
  file: OwnFile,
): ReplacingDecision {
  const others = candidates.filter(({ row }) => !file.has(row.key) && !file.mends(row.key));
  const taken = others.find((one) => isTaken(one, asking));
  if (taken) return { problem: takenProblem(taken, asking) };
  const old = others.filter(({ replaced }) => !replaced?.key);
  const unknown = old.find(({ limit }) => limit === 'unknown');
  if (unknown) return { problem: unknownProblem(unknown) };
  const sending = old.find(({ limit }) => limit === 'claimed');
  if (sending) return { problem: sendingProblem(sending) };
  const unsent = old.filter(isUnsent);
  // A row that this import left out is live too: when the file comes again, it stays unclear which row the line corrects.
  const isLeftOut = ({ replaced }: BuyerRow) => replaced?.importId === asking.importId && replaced.key === '';
  const live = unsent.filter((one) => one.state !== 'cancelled' || isLeftOut(one));
  if (live.length > 1) return { problem: severalProblem(live, asking) };
  // A cancelled row requests nothing, so it conflicts with nothing; if it is the only one, the line revives it.
  return { replaces: live[0] ?? (unsent.length === 1 ? unsent[0] : undefined) };
}

/** Whether another line of the same file has replaced this row. */
export function isTaken({ replaced }: BuyerRow, { row, importId }: AskingLine): boolean {
  return replaced?.importId === importId && replaced.key !== '' && replaced.key !== row.key;
}

/** Whether nothing was sent for the row's limit, so that another row may replace it. */
export function isUnsent({ state, limit }: BuyerRow): boolean {
  return limit === 'free' && !is('isGranted', state);
}

/**
 * Another request of the buyer: with another amount, or with the same one under another reference or none. A person should know of it: both
 * were or will be requested, if only when refused rows are sent again. A request that is not refused comes first, then one of the line's
 * own portfolio.
 */
export function otherRequest(
  { row, amount }: AskingLine,
  rows: readonly BuyerRow[],
  replaced: BuyerRow | undefined,
): BuyerRow | undefined {
  const others = rows.filter(
    (one) =>
      rowName(one.row) !== rowName(row) &&
      one.row.key !== replaced?.row.key &&
      (one.amount !== amount || one.row.key !== row.key) &&
      one.state !== 'cancelled',
  );
  const asked = others.filter(({ state }) => state !== 'refused');
  const told = asked.length > 0 ? asked : others;
  return told.find((one) => one.row.portfolio === row.portfolio) ?? told[0];
}

/**
 * The last request of the buyer that a person declined, besides the line's own, which waits for another person anyway. One that was
 * requested later, elsewhere or again, no longer counts.
 */
export function declinedRequest(
  { row }: AskingLine,
  rows: readonly BuyerRow[],
  replaced: BuyerRow | undefined,
): BuyerRow | undefined {
  const asked = new Set(rows.filter(({ state }) => state !== 'cancelled').map((one) => one.row.key));
  const isOther = ({ row: { key } }: BuyerRow) => key !== row.key && key !== replaced?.row.key && !asked.has(key);
  const declined = rows.filter((one) => one.declined && isOther(one));
  return declined.sort((one, other) => (other.declined?.atMs ?? 0) - (one.declined?.atMs ?? 0))[0];
}

/**
 * Whether a line comes again unchanged after it was unclear which request it corrects. `earlier` is its problem in the errors file. The
 * line is still unclear, even if the rows in question were sent since: importing it would request their limit a second time.
 */
export function isUndecided({ amount, isNamed }: AskingLine, earlier: string): boolean {
  const [, before] = UNDECIDED.exec(earlier) ?? [];
  return !isNamed && before?.replaceAll(',', '') === amount;
}

/** Matches the problems of {@link severalProblem} and {@link takenProblem}. Errors files of earlier versions have these words, so they stay. */
const UNDECIDED =
  /^(?:This buyer has|An earlier line of this file has replaced) [\s\S]*? it cannot be told (?:which of them|whether) this line \(([\d.,]+)\) corrects/;

/** The problem text of a line that stays undecided: its earlier problem again, so that the next errors file lets the line be recognized too. */
export function undecidedProblem(earlier: string): string {
  const [said = ''] = earlier.split(REMEDY_BEGINS);
  return `${said.trim()} ${REMEDY}`;
}

/**
 * Whether a line was a problem because it was not known what became of a request that it may correct. `earlier` is its problem in the errors
 * file.
 */
export function wasUnsure(earlier: string): boolean {
  return UNSURE.test(earlier);
}

/**
 * Matches the problems of {@link unknownProblem}, {@link sendingProblem}, {@link madeProblem} and {@link mendedProblem}. Errors files have these
 * words, so they stay.
 */
const UNSURE =
  /^(?:A later import of the file that this line comes from|It is unknown whether the request of|The request of [\s\S]*? is being sent at this moment,|When this line came, it was not known whether) /;

/** The problem text of such a line once the other request is known to be made: without it, the line would request a second limit. */
export function madeProblem(made: BuyerRow, earlier: string): string {
  if (earlier.startsWith(MENDED)) return mendedProblem(made);
  return `When this line came, it was not known whether the request of ${describeRow(made)} of the same buyer was made. It was: leave this line out, or give it a request_reference of its own if it is meant beside that one.`;
}

const MENDED = 'A later import of the file that this line comes from';

/** The problem text of a line of an errors file that was mended in its own file, too. Importing both would request a second limit. */
export function mendedProblem(made: BuyerRow): string {
  return `${MENDED} requested a limit of the same buyer, ${describeRow(made)}: leave this line out, or give it a request_reference of its own if it is meant beside that one.`;
}

/**
 * The problem text of a line of an errors file that was mended and sent before. It is mended differently now, and would request a second
 * limit.
 */
export function mendedBeforeProblem(made: BuyerRow): string {
  return `This line was mended and imported before: ${describeRow(made)} came from it. Leave this line out, or give it a request_reference of its own if a second limit is meant.`;
}

/**
 * A row in words: `line 7 of portfolio q4 (1,000, refused)`, or with its file `line 7 of q4.csv #1 in portfolio q4 (…)`. The line of an
 * archived row is not known. Problems of lines write the amount as errors files of earlier versions have it.
 */
export function describeRow({ row, line, amount, state }: BuyerRow, file?: string, say = groupedAmount): string {
  const where = line > 0 && file !== undefined ? `${file} in portfolio` : 'portfolio';
  return `${line > 0 ? `line ${line}` : 'a line'} of ${where} ${row.portfolio} (${say(amount)}, ${state})`;
}

/** Most candidates named in a problem. */
const MOST_NAMED = 5;

const REMEDY = 'Give it a request_reference of its own, in the file that report --format errors-csv writes.';

/** Where the remedy begins in a problem's text, also in the words of earlier versions. */
const REMEDY_BEGINS = / (?:Mend it in the file that|Give it a request_reference of its own,) /;

function severalProblem(live: readonly BuyerRow[], { amount }: AskingLine): string {
  const named = live
    .slice(0, MOST_NAMED)
    .map((one) => describeRow(one))
    .join(', ');
  const more = live.length > MOST_NAMED ? ` and ${live.length - MOST_NAMED} more` : '';
  return `This buyer has ${live.length} requests here that were not sent, and it cannot be told which of them this line (${groupedAmount(amount)}) corrects: ${named}${more}. ${REMEDY}`;
}

function takenProblem(taken: BuyerRow, { amount }: AskingLine): string {
  return `An earlier line of this file has replaced the request of ${describeRow(taken)} of the same buyer already, and it cannot be told whether this line (${groupedAmount(amount)}) corrects it. ${REMEDY}`;
}

/**
 * The problem text of a line that may correct a request which is being sent at this moment. Before its outcome is known, replacing it could
 * lead to both requests, or to neither.
 */
function sendingProblem(sending: BuyerRow): string {
  return `The request of ${describeRow(sending)} of the same buyer is being sent at this moment, so it cannot be told whether this line corrects it: import the file again when that is answered, or give this line a request_reference of its own if it is meant beside that one.`;
}

function unknownProblem(unknown: BuyerRow): string {
  if (unknown.state === 'awaiting') {
    return `It is unknown whether the request of ${describeRow(unknown)} of the same buyer was made, and what somebody said of it waits for an approval: decide that first, or give this line a request_reference of its own if it is meant beside that one.`;
  }
  return `It is unknown whether the request of ${describeRow(unknown)} of the same buyer was made: say what became of it first, or give this line a request_reference of its own if it is meant beside that one. ${heldRemedy(unknown.row.portfolio)}.`;
}

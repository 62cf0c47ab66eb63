import { heldRemedy } from '../../held-remedy.ts';
import type { BuyerRow } from '../rows/buyer-rows.ts';
import { is } from '../schema/row.ts';
import { type RowId, rowName } from '../schema/schema.ts';

/** A line that is about to be brought in. */
export type AskingLine = {
  row: RowId;
  line: number;
  /** The number of its import. */
  importId: string;
  /** Canonical decimal text. */
  amount: string;
  /** Whether a request_reference says which request it is. */
  isNamed: boolean;
};

/** Which requests stand in the line's own file, and which rows its lines say that they mend. */
export type OwnFile = { has(key: string): boolean; mends(key: string): boolean };

/** What becomes of the rows that a line may be meant to correct: one is replaced, or none, or it is a problem in words. */
export type ReplacingDecision = { replaces: BuyerRow | undefined } | { problem: string };

/**
 * The rows of the line's buyer in its portfolio that the line may be a correction of, before it is known what else stands in
 * its file: of earlier imports, or of this very line when it was read as another request. A line with a request_reference
 * says itself which request it is, and so does one whose row is there.
 */
export function candidatesFor(asking: AskingLine, rows: readonly BuyerRow[]): BuyerRow[] {
  const { row, line, importId, isNamed } = asking;
  const own = rows.find((one) => rowName(one.row) === rowName(row));
  if (isNamed || (own && own.state !== 'cancelled')) return [];
  return rows.filter(
    (one) =>
      one.row.portfolio === row.portfolio &&
      one !== own &&
      // A line that brings its own row back corrects no other that was cancelled.
      !(own && one.state === 'cancelled' && !one.replaced?.key) &&
      (one.importId !== importId || one.line === line || one.replaced?.importId === importId),
  );
}

/**
 * Decides which of these candidates a line replaces. One row of the buyer that was not sent, whose own line the file lacks,
 * is what the line corrects; one that was sent keeps its words, and the line is a request of its own. Of several nobody can
 * tell; nor while it is unknown what became of one, or one is being sent; nor which of two lines of a file corrects one row.
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
  const live = unsent.filter(({ state }) => state !== 'cancelled');
  if (live.length > 1) return { problem: severalProblem(live, asking) };
  // A cancelled row asks for nothing, so it stands in nobody's way; the only such row is what the line brings back.
  return { replaces: live[0] ?? (unsent.length === 1 ? unsent[0] : undefined) };
}

/** Whether another line of the same file stands in the place of this row. */
export function isTaken({ replaced }: BuyerRow, { row, importId }: AskingLine): boolean {
  return replaced?.importId === importId && replaced.key !== '' && replaced.key !== row.key;
}

/** Whether nothing was sent of a row's limit, so that another may stand in its place. */
export function isUnsent({ state, limit }: BuyerRow): boolean {
  return limit === 'free' && !is('isGranted', state);
}

/**
 * The other request of the buyer that a person should know of, since both are or were asked for, or would be when refused ones
 * are sent again: of another amount. Of several one that is open or made, of the line's own portfolio, if there is one.
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
      one.amount !== amount &&
      one.state !== 'cancelled',
  );
  const asked = others.filter(({ state }) => state !== 'refused');
  const told = asked.length > 0 ? asked : others;
  return told.find((one) => one.row.portfolio === row.portfolio) ?? told[0];
}

/**
 * Whether a line comes again as it was when it was a problem that nobody could tell what it corrects: `earlier` is what its
 * errors file says of it. That the rows in question were sent meanwhile tells it no better, and it would be requested besides.
 */
export function isUndecided({ amount, isNamed }: AskingLine, earlier: string): boolean {
  const [, before] = UNDECIDED.exec(earlier) ?? [];
  return !isNamed && before === amount;
}

/** As the problems below say it. */
const UNDECIDED =
  /^(?:This buyer has|An earlier line of this file has replaced) [\s\S]*? it cannot be told (?:which of them|whether) this line \(([\d.]+)\) corrects/;

/** What is said of such a line from then on: the same, so that its next errors file says so, too. */
export function undecidedProblem(earlier: string): string {
  const [said = ''] = earlier.split(REMEDY);
  return `${said.trim()} ${REMEDY}`;
}

/** `line 7 of portfolio q4 (1000, refused)`; of a row that is archived its line is not known. */
export function describeRow({ row, line, amount, state }: BuyerRow): string {
  return `${line > 0 ? `line ${line}` : 'a line'} of portfolio ${row.portfolio} (${amount}, ${state})`;
}

/** Candidates named in a problem: enough to find one's own. */
const MOST_NAMED = 5;

const REMEDY =
  'Mend it in the file that report --format errors-csv writes, whose column row says which one is meant, or give it a request_reference of its own.';

function severalProblem(live: readonly BuyerRow[], { amount }: AskingLine): string {
  const named = live.slice(0, MOST_NAMED).map(describeRow).join(', ');
  const more = live.length > MOST_NAMED ? ` and ${live.length - MOST_NAMED} more` : '';
  return `This buyer has ${live.length} requests here that were not sent, and it cannot be told which of them this line (${amount}) corrects: ${named}${more}. ${REMEDY}`;
}

function takenProblem(taken: BuyerRow, { amount }: AskingLine): string {
  return `An earlier line of this file has replaced the request of ${describeRow(taken)} of the same buyer already, and it cannot be told whether this line (${amount}) corrects it. ${REMEDY}`;
}

/** Whether it makes anything is known in a moment; until then the two may both be requested, or neither. */
function sendingProblem(sending: BuyerRow): string {
  return `The request of ${describeRow(sending)} of the same buyer is being sent at this moment, so it cannot be told whether this line corrects it: import the file again when that is answered, or give this line a request_reference of its own if it is meant beside that one.`;
}

function unknownProblem(unknown: BuyerRow): string {
  return `It is unknown whether the request of ${describeRow(unknown)} of the same buyer was made: say what became of it first, or give this line a request_reference of its own if it is meant beside that one. ${heldRemedy(unknown.row.portfolio)}.`;
}

import type { Document } from '../../src/documents/folder.ts';
import { sha256Of } from '../../src/files/disk.ts';
import { contentDigest } from '../../src/ledger/calls/claim-answers.ts';
import type { LostCall } from '../../src/ledger/calls/recovery.ts';
import { meaningOfProblem } from '../../src/ledger/counts/cause.ts';
import { askedOf, STEPS, type Step } from '../../src/ledger/schema/row.ts';
import { rowIdOf } from '../../src/ledger/schema/schema.ts';
import { type Line, type Row, requestOf } from '../../src/portfolio/lines/row.ts';
import type { ResultOutcome } from '../../src/portfolio/results/outcomes.ts';
import { REPLACED_BY_LINE } from '../import/put-line.ts';
import { MADE_FOR } from '../rows/sent-for.ts';
import { documentKey } from '../rows/walk-rows.ts';

/**
 * The calls that a line of a results file tells of, and sentences about what cannot be restored: `uploads` about documents that were made,
 * which at worst are uploaded twice; `leftOut` about all else.
 */
type LostCalls = { calls: LostCall[]; leftOut: string[]; uploads: string[] };

/**
 * The calls that a line of a results file tells of, by `limitline_buyer` or else by credible cells. Where lines of the original
 * file might lead to another buyer, that is reported as left out.
 */
export async function lostCallsOf(line: Line, outcome: ResultOutcome): Promise<LostCalls> {
  const identity = identityOf(line, outcome);
  const found: LostCalls = { calls: [], leftOut: [], uploads: [] };
  addMade(found, identity, outcome);
  await addDocuments(found, identity, outcome);
  const step = doubtfulStep(outcome);
  if (step) await addDoubt(found, identity, outcome, step);
  const isSent = found.calls.length > 0 || outcome.companyId !== '';
  const left = isSent && uncertainty(line, identity, outcome);
  if (left) found.leftOut.push(left);
  return found;
}

/**
 * The identity of a line: its row's cells if they are credible, all keys of its limit, the buyer, and a digest of what was
 * asked for. A document that is not in the folder has no path.
 */
type LineIdentity = {
  row: Row | undefined;
  keys: string[];
  buyer: string | undefined;
  asked: string | undefined;
  amount: string | undefined;
};

/**
 * The identity of a line by its cell `limitline_buyer`, whatever became of the other cells. Without that, by the other cells,
 * as far as they are credible.
 */
export function identityOf(line: Line, outcome: ResultOutcome): LineIdentity {
  const { row, problem, known } = outcome;
  const key = rowIdOf(row)?.key ?? '';
  if (known) {
    const own = line.kind === 'row' && line.row.buyer === known.buyer ? line.row : undefined;
    return { row: own, keys: [key].filter((one) => one !== ''), ...known };
  }
  const own = line.kind === 'row' && speaks(problem) ? line.row : undefined;
  const keys = [key || ownKeyOf(line, problem)].filter((one) => one !== '');
  const told = { row: own, keys, buyer: own?.buyer, amount: own?.limit.requested_limit };
  // If the cells give another key than the row's, they do not tell what was asked for.
  const asked = own && (key === '' || own.key === key) ? contentDigest(askedOf({ ...own, documents: [] })) : undefined;
  return { ...told, asked };
}

/**
 * A sentence about what cannot be restored with certainty, because cells may have changed since the request; undefined if they have not.
 *
 * @param identity the result of {@link identityOf}
 */
function uncertainty(line: Line, identity: LineIdentity, outcome: ResultOutcome): string | undefined {
  return outcome.known ? changedCells(line, outcome) : weakCells(line, identity, outcome);
}

function addMade({ calls, leftOut }: LostCalls, identity: LineIdentity, outcome: ResultOutcome): void {
  const { row, keys, buyer } = identity;
  const { companyId, limitId, documentIds, record } = outcome;
  // The limit of a skipped row was made for another row.
  const whole = { ...placeOf(outcome), row: outcome.state === 'skipped' ? '' : outcome.row, is: 'made' as const };
  // A company id that the line gave itself was not made by a call.
  if (companyId !== '' && buyer !== undefined && row?.companyId === undefined) {
    const company = { kind: 'company' as const, keys: [buyer], buyer, asked: undefined };
    calls.push({ ...whole, ...company, id: companyId, record: {}, company: '', documents: [] });
  }
  if (limitId === '') return;
  if (keys.length === 0) {
    leftOut.push(`limit ${limitId}: the line does not say which row or buyer it belongs to`);
    return;
  }
  const limit = { kind: 'limit' as const, keys, buyer, asked: identity.asked, amount: identity.amount };
  calls.push({ ...whole, ...limit, id: limitId, record, company: companyId, documents: documentIds });
}

/** The row's documents in order, each with its id. */
async function addDocuments({ calls, uploads }: LostCalls, { row }: LineIdentity, outcome: ResultOutcome) {
  const { row: name, documentIds } = outcome;
  const documents = row?.documents ?? [];
  if (documentIds.length === 0 || documents.length !== documentIds.length) return;
  for (const [place, document] of documents.entries()) {
    const key = await keyOf(document);
    if (key === undefined) {
      uploads.push(`document ${document.name} is not in the folder of --documents, and may be uploaded again`);
      continue;
    }
    const made = { is: 'made' as const, id: documentIds[place] ?? '', record: {}, company: '', documents: [] };
    calls.push({
      kind: 'document',
      keys: [key],
      buyer: row?.buyer,
      row: name,
      asked: undefined,
      ...placeOf(outcome),
      ...made,
    });
  }
}

/** The step whose call may have made something that the line does not name; undefined for none. */
function doubtfulStep({ state, step, problem }: ResultOutcome): Step | undefined {
  // A row that waited for approval of an answer is in doubt as before.
  const isHeld = state === 'held' || (state === 'awaiting' && meaningOfProblem({ message: problem }) === 'unknown');
  const at = isHeld ? step : state;
  return STEPS.find((each) => each === at);
}

async function addDoubt({ calls, leftOut }: LostCalls, identity: LineIdentity, outcome: ResultOutcome, step: Step) {
  const { row, keys, buyer } = identity;
  const doubt = { is: 'unknown' as const, row: outcome.row, buyer, asked: undefined };
  const whole = { ...placeOf(outcome), ...doubt, ...endOf(outcome) };
  if (step === 'limit' && keys.length > 0) {
    calls.push({ kind: 'limit', keys, ...whole, asked: identity.asked, amount: identity.amount });
  } else if (step === 'company' && buyer !== undefined) {
    calls.push({ kind: 'company', keys: [buyer], ...whole });
  } else if (step === 'documents' && row) {
    const known = await Promise.all(row.documents.map(keyOf));
    for (const key of known) if (key !== undefined) calls.push({ kind: 'document', keys: [key], ...whole });
    if (known.includes(undefined))
      leftOut.push('a held document is not in the folder of --documents, and would be sent again');
  } else {
    leftOut.push(`a ${outcome.state} row: the line does not say which row or buyer it is`);
  }
}

const placeOf = ({ line, updatedMs }: ResultOutcome) => ({ line, atMs: updatedMs });

/** A call's end and when it was sent, parsed from `rowProblemOf`'s text (jobs/steps/row-problem.ts). */
function endOf({ state, problem }: ResultOutcome): { reason: string; sentMs: number } {
  if (state !== 'held' && state !== 'awaiting') {
    return { reason: 'it was in progress when its results file was written', sentMs: 0 };
  }
  const [, sent = '', end = ''] = /was made: (?:sent (\S+), then )?([\s\S]*)$/.exec(problem) ?? [];
  const reason = end.replace(/; what was sent: [\s\S]*$/, '') || 'it was held before the ledger was lost';
  return { reason, sentMs: Date.parse(sent) || 0 };
}

/** A document's key in the ledger; nothing where the folder lacks the document. */
async function keyOf({ path, ...document }: Document): Promise<string | undefined> {
  return path === '' ? undefined : documentKey({ ...document, sha256: await sha256Of(path) });
}

/** The request key from the line's own cells; '' where they are not credible. */
function ownKeyOf(line: Line, problem: string): string {
  return line.kind !== 'invalid' && speaks(problem) ? requestOf(line) : '';
}

/**
 * Whether a line's problem, if any, is the row's own. Then the cells are those of the request. A line that was changed later has other
 * cells.
 */
const speaks = (problem: string): boolean => problem === '' || SPEAKS_FOR_ROW.test(problem);

/** A warning about a row whose cells were changed: its calls are restored, but the cells may lack identifiers of the buyer. */
function changedCells(line: Line, { row, known }: ResultOutcome): string | undefined {
  if (line.kind === 'row' && line.row.buyer === known?.buyer) return undefined;
  if (line.kind === 'duplicate' && line.key === rowIdOf(row)?.key) return undefined;
  return `${CELLS_CHANGED}: what was made for it is put back, but a line that identifies its buyer in another way might be requested again`;
}

/**
 * A warning for a line without a valid `limitline_buyer`, as in files of earlier versions. Its identity depends on its cells, which may
 * have changed.
 */
function weakCells(line: Line, { keys: [key] }: LineIdentity, { problem }: ResultOutcome): string | undefined {
  if (key === undefined || ownKeyOf(line, problem) === key) return undefined;
  return `${CELLS_CHANGED}, and the file does not name its buyer: its company or its limit might be requested again`;
}

const CELLS_CHANGED = 'the line may have been changed since it was requested';

/**
 * How the problems of rows begin (row-problem.ts, results-table.ts, put-line.ts, sent-for.ts). If the line itself is
 * faulty, its fault comes first, and its cells are not those of the request.
 */
const SPEAKS_FOR_ROW = new RegExp(
  `^(?:Made twice at the service|It is unknown whether|The service (?:refused|put) |Limitline itself failed|${REPLACED_BY_LINE}|${MADE_FOR})`,
);

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Document } from '../../src/documents/document.ts';
import { digestOf } from '../../src/ledger/calls.ts';
import type { LostCall } from '../../src/ledger/recovery.ts';
import { rowIdOf } from '../../src/ledger/row-id.ts';
import { askedOf, STEPS, type Step } from '../../src/ledger/rows.ts';
import { type Line, type Row, requestOf } from '../../src/portfolio/lines/row.ts';
import type { Outcome } from '../../src/portfolio/results/outcomes.ts';
import { documentKey } from '../rows/document-key.ts';

/** What one line of a results file tells of calls, and what it tells of them in vain. */
export type LostCalls = { calls: LostCall[]; leftOut: string[] };

/**
 * Whose the line is: its row's cells where they are believed, all names that its limit goes by, the buyer, and what was asked
 * for, as a digest. A document that is not in the folder has no path.
 */
type Told = {
  row: Row | undefined;
  keys: string[];
  buyer: string | undefined;
  asked: string | undefined;
  amount: string | undefined;
};

/**
 * The calls that a line of a results file speaks of. Where it says whose they are (`limitline_buyer`), that is so, whatever
 * became of its cells; else they are told by the cells, as far as these are believed. Where lines of the original file might
 * be told another buyer, that is left out, and named.
 */
export async function lostCallsOf(line: Line, outcome: Outcome): Promise<LostCalls> {
  const told = toldBy(line, outcome);
  const found: LostCalls = { calls: [], leftOut: [] };
  addMade(found, told, outcome);
  await addDocuments(found, told, outcome);
  const step = doubtfulStep(outcome);
  if (step) await addDoubt(found, told, outcome, step);
  const isSent = found.calls.length > 0 || outcome.companyId !== '';
  const left = isSent && (outcome.known ? changedCells(line, outcome) : weakCells(line, told, outcome));
  if (left) found.leftOut.push(left);
  return found;
}

function toldBy(line: Line, outcome: Outcome): Told {
  const { row, problem, known } = outcome;
  const key = rowIdOf(row)?.key ?? '';
  if (known) {
    const own = line.kind === 'row' && line.row.buyer === known.buyer ? line.row : undefined;
    return { row: own, keys: [key].filter((one) => one !== ''), ...known };
  }
  const own = line.kind === 'row' && speaks(problem) ? line.row : undefined;
  const keys = [key || ownKeyOf(line, problem)].filter((one) => one !== '');
  const told = { row: own, keys, buyer: own?.buyer, amount: own?.limit.requested_limit };
  // Under another key than its row's, what the cells ask for is not what was asked for.
  const asked = own && (key === '' || own.key === key) ? digestOf(askedOf({ ...own, documents: [] })) : undefined;
  return { ...told, asked };
}

/** The key that the line's own cells lead to; '' where they are not believed. */
function ownKeyOf(line: Line, problem: string): string {
  return line.kind !== 'invalid' && speaks(problem) ? requestOf(line) : '';
}

/** Whose words the cells are: of a line that was changed after its request they are not the request's. */
function speaks(problem: string): boolean {
  return problem === '' || SPEAKS_FOR_ROW.test(problem);
}

/** What was made is put back for certain, but what else points to its buyer is told by cells. */
function changedCells(line: Line, { row, known }: Outcome): string | undefined {
  if (line.kind === 'row' && line.row.buyer === known?.buyer) return undefined;
  if (line.kind === 'duplicate' && line.key === rowIdOf(row)?.key) return undefined;
  return `${CELLS_CHANGED}: what was made for it is put back, but a line that tells its buyer by something else might be requested again`;
}

/** In a file of an earlier version, or where somebody changed the column that says whose it is, it is all told by cells. */
function weakCells(line: Line, { keys: [key] }: Told, { problem }: Outcome): string | undefined {
  if (key === undefined || ownKeyOf(line, problem) === key) return undefined;
  return `${CELLS_CHANGED}, and the file does not say whose it is: its company or its limit might be requested again`;
}

const CELLS_CHANGED = 'its cells are not, or not for certain, those that were requested';

/** What rows themselves have to say (jobs/steps/step.ts, export-tables.ts, put-lines.ts). A fault of the line stands before that. */
const SPEAKS_FOR_ROW =
  /^(?:Made twice at the service|It is unknown whether|The service (?:refused|put) |Limitline itself failed|replaced by line)/;

function addMade({ calls, leftOut }: LostCalls, told: Told, outcome: Outcome): void {
  const { row, keys, buyer } = told;
  const { companyId, limitId, documentIds, record } = outcome;
  // What a row was skipped for was made for another.
  const whole = { ...placeOf(outcome), row: outcome.state === 'skipped' ? '' : outcome.row, is: 'made' as const };
  // An id that the line itself gave was made by nobody here.
  if (companyId !== '' && buyer !== undefined && row?.companyId === undefined) {
    const company = { kind: 'company' as const, keys: [buyer], buyer, asked: undefined };
    calls.push({ ...whole, ...company, id: companyId, record: {}, company: '', documents: [] });
  }
  if (limitId === '') return;
  if (keys.length === 0) {
    leftOut.push(`limit ${limitId}: neither its row nor its buyer can be told from the line`);
    return;
  }
  const limit = { kind: 'limit' as const, keys, buyer, asked: told.asked, amount: told.amount };
  calls.push({ ...whole, ...limit, id: limitId, record, company: companyId, documents: documentIds });
}

/** Its documents in their order, each with the id that stands at its place. */
async function addDocuments({ calls, leftOut }: LostCalls, { row }: Told, outcome: Outcome) {
  const { row: name, documentIds } = outcome;
  const documents = row?.documents ?? [];
  if (documentIds.length === 0 || documents.length !== documentIds.length) return;
  for (const [place, document] of documents.entries()) {
    const key = await keyOf(document);
    if (key === undefined) {
      leftOut.push(`document ${document.name}: it is not in the documents folder, and would be uploaded again`);
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

/** The step at which a call of the row may have made something that nobody knows of. */
function doubtfulStep({ state, step }: Outcome): Step | undefined {
  const at = state === 'held' ? step : state;
  return STEPS.find((each) => each === at);
}

async function addDoubt({ calls, leftOut }: LostCalls, told: Told, outcome: Outcome, step: Step) {
  const { row, keys, buyer } = told;
  const doubt = { is: 'unknown' as const, row: outcome.row, buyer, asked: undefined };
  const whole = { ...placeOf(outcome), ...doubt, ...heardOf(outcome) };
  if (step === 'limit' && keys.length > 0) {
    calls.push({ kind: 'limit', keys, ...whole, asked: told.asked, amount: told.amount });
  } else if (step === 'company' && buyer !== undefined) {
    calls.push({ kind: 'company', keys: [buyer], ...whole });
  } else if (step === 'documents' && row) {
    const known = await Promise.all(row.documents.map(keyOf));
    for (const key of known) if (key !== undefined) calls.push({ kind: 'document', keys: [key], ...whole });
    if (known.includes(undefined))
      leftOut.push('a held document is not in the documents folder, and would be sent again');
  } else {
    leftOut.push(`a ${outcome.state} row: neither it nor its buyer can be told from the line`);
  }
}

function placeOf({ line, updatedMs }: Outcome) {
  return { line, atMs: updatedMs };
}

/** What was heard of a call, and when it was sent, as `endWithout` words it (jobs/steps/step.ts). */
function heardOf({ state, problem }: Outcome): { heard: string; sentMs: number } {
  const [, sent = '', heard = ''] = /was made: (?:sent (\S+), then )?([\s\S]*)$/.exec(problem) ?? [];
  const words = heard.replace(/; what was sent: [\s\S]*$/, '');
  const sentMs = Date.parse(sent) || 0;
  if (state === 'held') return { heard: words || 'it was held before the ledger was lost', sentMs };
  return { heard: 'it was in progress when its results file was written', sentMs: 0 };
}

/** A document's name as a call; nothing where the folder lacks it. */
async function keyOf({ name, path }: Document): Promise<string | undefined> {
  if (path === '') return undefined;
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path)) digest.update(chunk);
  return documentKey({ sha256: digest.digest('hex'), name });
}

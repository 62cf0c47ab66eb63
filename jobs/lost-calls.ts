import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { LostCall } from '../src/ledger/recovery.ts';
import { rowIdOf } from '../src/ledger/row-id.ts';
import { askedOf, STEPS, type Step } from '../src/ledger/rows.ts';
import type { Outcome } from '../src/portfolio/outcomes.ts';
import type { Document, Line, Row } from '../src/portfolio/row.ts';
import { documentKey } from './upload-documents.ts';

/** What one line of a results file tells of calls, and what it tells of them in vain. */
export type LostCalls = { calls: LostCall[]; leftOut: string[] };

/** As {@link lostCallsOf} finds them: a document that is not in the folder has no path. */
type Told = { row: Row | undefined; keys: string[] };

/**
 * The calls that a line of a results file speaks of. Each goes by all names that it may be asked for under: the key of the
 * row that the file names, and the one that the line's own cells lead to, which differ where the buyer was first known by
 * another identifier.
 */
export async function lostCallsOf(line: Line, outcome: Outcome): Promise<LostCalls> {
  const told = toldBy(line, outcome);
  const found: LostCalls = { calls: [], leftOut: [] };
  addMade(found, told, outcome);
  await addDocuments(found, told, outcome);
  const step = doubtfulStep(outcome);
  if (step) await addDoubt(found, told, outcome, step);
  return found;
}

/** Whose words the cells are: of a line that was changed after its request they are not the request's. */
function toldBy(line: Line, { row, problem }: Outcome): Told {
  const speaks = problem === '' || SPEAKS_FOR_ROW.test(problem);
  const own = line.kind === 'row' && speaks ? line.row : undefined;
  const ownKey = own?.key ?? (line.kind === 'duplicate' && speaks ? line.key : '');
  const keys = [rowIdOf(row)?.key ?? '', ownKey].filter((key) => key !== '');
  return { row: own, keys: [...new Set(keys)] };
}

/** What rows themselves have to say (jobs/step.ts, export-tables.ts, put-lines.ts). A fault of the line stands before that. */
const SPEAKS_FOR_ROW =
  /^(?:Made twice at the service|It is unknown whether|The service (?:refused|put) |Limitline itself failed|replaced by line)/;

function addMade({ calls, leftOut }: LostCalls, { row, keys }: Told, outcome: Outcome): void {
  const { companyId, limitId, documentIds, record } = outcome;
  // What a row was skipped for was made for another.
  const whole = { row: outcome.state === 'skipped' ? '' : outcome.row, is: 'made' as const };
  // An id that the line itself gave was made by nobody here.
  if (companyId !== '' && row && row.companyId === undefined) {
    const company = { kind: 'company' as const, keys: [row.buyer], buyer: row.buyer, asked: undefined };
    calls.push({ ...whole, ...company, id: companyId, record: {}, company: '', documents: [] });
  }
  if (limitId === '') return;
  if (keys.length === 0) {
    leftOut.push(`limit ${limitId}: neither its row nor its buyer can be told from the line`);
    return;
  }
  const asked = row && askedOf({ ...row, documents: [] });
  const limit = { kind: 'limit' as const, keys, buyer: row?.buyer, asked };
  calls.push({ ...whole, ...limit, id: limitId, record, company: companyId, documents: documentIds });
}

/** Its documents in their order, each with the id that stands at its place. */
async function addDocuments({ calls, leftOut }: LostCalls, { row }: Told, { row: name, documentIds }: Outcome) {
  const documents = row?.documents ?? [];
  if (documentIds.length === 0 || documents.length !== documentIds.length) return;
  for (const [place, document] of documents.entries()) {
    const key = await keyOf(document);
    if (key === undefined) {
      leftOut.push(`document ${document.name}: it is not in the documents folder, and would be uploaded again`);
      continue;
    }
    const made = { is: 'made' as const, id: documentIds[place] ?? '', record: {}, company: '', documents: [] };
    calls.push({ kind: 'document', keys: [key], buyer: row?.buyer, row: name, asked: undefined, ...made });
  }
}

/** The step at which a call of the row may have made something that nobody knows of. */
function doubtfulStep({ state, step }: Outcome): Step | undefined {
  const at = state === 'held' ? step : state;
  return STEPS.find((each) => each === at);
}

async function addDoubt({ calls, leftOut }: LostCalls, { row, keys }: Told, outcome: Outcome, step: Step) {
  const whole = { is: 'unknown' as const, row: outcome.row, buyer: row?.buyer, asked: undefined, ...heardOf(outcome) };
  if (step === 'limit' && keys.length > 0) {
    calls.push({ kind: 'limit', keys, ...whole, asked: row && askedOf({ ...row, documents: [] }) });
  } else if (step === 'company' && row) {
    calls.push({ kind: 'company', keys: [row.buyer], ...whole });
  } else if (step === 'documents' && row) {
    const known = await Promise.all(row.documents.map(keyOf));
    for (const key of known) if (key !== undefined) calls.push({ kind: 'document', keys: [key], ...whole });
    if (known.includes(undefined))
      leftOut.push('a held document is not in the documents folder, and would be sent again');
  } else {
    leftOut.push(`a ${outcome.state} row: neither it nor its buyer can be told from the line`);
  }
}

/** What was heard of a call, and when it was sent, as `endWithout` words it (jobs/step.ts). */
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

import type { DocumentStore } from '../../src/documents/store.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { HostedSessions } from '../../src/ledger/calls/sessions.ts';
import { idsOfRow } from '../../src/ledger/events/event-rows.ts';
import type { Events } from '../../src/ledger/events/events.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { NO_BUYER_ROWS } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { KnownCall, Stories } from '../../src/ledger/rows/story.ts';
import type { RowResult } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import type { LineOfRow, NamingEvent, RowStory, StoryCall } from '../../src/ledger/story/row-story.ts';
import { makeImportLook, openImported } from '../rows/import-names.ts';
import { documentKey, withPurpose } from '../rows/walk-rows.ts';
import { limitBody } from '../steps/row-position.ts';

/** The most limits of the buyer in a row's story: a buyer may have very many, and the last ones matter. */
const MOST_LIMITS = 200;

/** The most events in a row's story: a company of many requests may have thousands, and the last ones matter. */
const MOST_EVENTS = 50;

type StorySessions = { sessions: Pick<HostedSessions, 'of'> };
type StoryDeps = {
  approvals: Pick<Approvals, 'read' | 'of'>;
  rows: Rows;
  portfolios: Portfolios;
  stories: Stories;
  events: Pick<Events, 'naming'>;
  calls: StorySessions;
};

/** The history of a row; nothing where the ledger has no such row. */
export async function rowStory(
  row: RowId,
  { approvals, rows, portfolios, stories, events, calls: { sessions } }: StoryDeps,
): Promise<RowStory | undefined> {
  const [result] = await rows.read([row]);
  if (!result) return undefined;
  const { buyer } = result.request;
  const [imports, entries, buyerLimits, ofBuyers, { givenUp, begun, supplier, supplierAwaits }] = await Promise.all([
    portfolios.allImports(row.portfolio),
    stories.entries(row),
    stories.buyerLimits(buyer, MOST_LIMITS),
    rows.ofBuyers([buyer]),
    portfolios.read(row.portfolio),
  ]);
  const found = ofBuyers.get(buyer) ?? NO_BUYER_ROWS;
  const others = found.rows.filter((other) => rowName(other.row) !== rowName(row));
  const importOf = makeImportLook({ portfolios });
  const calls = callsOfStory(row, result);
  const [known, approved, answers] = await Promise.all([
    stories.calls(calls),
    approvalOf(row, result, approvals),
    rows.read(others.map((other) => other.row)),
  ]);
  const besides = others.map(async (other, place) => {
    const answered = answers[place];
    const from = answered && (await importOf(other.row, answered.importId));
    return { ...other, answered, currency: from?.found?.currency };
  });
  return {
    row,
    result,
    begun,
    imports: new Map(imports.map((one) => [String(one.number), one])),
    calls: calls.map(({ key: _key, ...call }, place) => ({ ...call, ...knownOf(row, known[place]) })),
    entries,
    approved,
    buyerLimits,
    events: await eventsOf(result, known, events),
    others: { ...found, rows: await Promise.all(besides) },
    sessions: await sessions.of(result.limitId),
    givenUp,
    supplier,
    supplierAwaits,
  };
}

/**
 * Finds a line in the copy of its file, by reading from the beginning: there is no index, and rows are seldom viewed.
 *
 * @param limitMs how long this may take; some 50,000 lines are read in a second
 */
export async function lineOfRow(
  line: number,
  known: KnownImport | undefined,
  { imports, limitMs, signal }: { imports: DocumentStore; limitMs: number; signal: AbortSignal },
): Promise<LineOfRow> {
  if (!known) return { is: 'gone' };
  const limit = AbortSignal.timeout(limitMs);
  try {
    const opened = await openImported(known, { imports, signal: AbortSignal.any([limit, signal]) });
    for await (const batch of opened.batches()) {
      const found = batch.find((one) => one.line === line);
      if (found) {
        const { header, columns } = opened;
        const cells = found.cells.map((cell, place) => ({
          column: header[place] || `column ${place + 1}`,
          meaning: columns[place]?.known ?? columns[place]?.extra ?? null,
          cell,
        }));
        return { is: 'read', cells };
      }
      if ((batch.at(-1)?.line ?? 0) > line) break;
    }
    return { is: 'gone' };
  } catch (error) {
    if (limit.aborted && !signal.aborted) return { is: 'far' };
    if (isLimitlineError(error, 'FILE', 'NOT_FOUND')) return { is: 'gone' };
    throw error;
  }
}

/**
 * Finds {@link RowStory.approved}, the approval of the row's import. A row that was approved again names only the later approval; then the
 * import's approval is found by the import's number.
 */
async function approvalOf(
  { portfolio }: RowId,
  { approval: id, importId }: RowResult,
  approvals: StoryDeps['approvals'],
): Promise<RowStory['approved']> {
  const own = id === undefined ? undefined : await approvals.read(id);
  if (own === undefined || own.kind === 'import') return own;
  return (await approvals.of(portfolio)).find((one) => one.kind === 'import' && one.importId === importId);
}

/** Events of the service that name an id of the row, including those that came before its answer was recorded. */
async function eventsOf(
  result: RowResult,
  calls: readonly (KnownCall | undefined)[],
  events: Pick<Events, 'naming'>,
): Promise<NamingEvent[]> {
  const made = calls.flatMap((call) => [call?.id ?? '', call?.again ?? '']);
  const own = new Set([...idsOfRow(result).keys(), ...made, result.again?.again ?? ''].filter((id) => id !== ''));
  const found = await events.naming([...own], { count: MOST_EVENTS });
  return found.slice(0, MOST_EVENTS).map(({ ids, moreIds: _more, ...event }) => {
    return { ...event, names: ids.filter((one) => own.has(one)) };
  });
}

function knownOf(row: RowId, known: KnownCall | undefined): Pick<StoryCall, 'known' | 'madeFor'> {
  return { known, madeFor: known && known.row !== '' && known.row !== rowName(row) ? known.row : undefined };
}

/** The calls of all steps of a row, in order. */
function callsOfStory(row: RowId, { request, companyId, documentIds }: RowResult) {
  const calls: (Omit<StoryCall, 'known' | 'madeFor'> & { key: string })[] = [];
  if (request.company && request.companyId === undefined) {
    const sent = jsonText(request.company);
    calls.push({ step: 'company', kind: 'company', key: request.buyer, what: 'the company', sent });
  }
  for (const document of request.documents) {
    const { name, mediaType, sizeBytes, sha256 } = document;
    const sent = `${withPurpose(document)}, ${mediaType}, ${sizeBytes} bytes, SHA-256 ${sha256}`;
    calls.push({ step: 'documents', kind: 'document', key: documentKey(document), what: `the document ${name}`, sent });
  }
  const company = companyId || request.companyId || '(the company, once it is made)';
  const sent = jsonText(limitBody(company, { request, documentIds }));
  calls.push({ step: 'limit', kind: 'limit', key: row.key, what: 'the buyer limit request', sent });
  return calls;
}

const jsonText = (body: unknown): string => JSON.stringify(body, null, 2);

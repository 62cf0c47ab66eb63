import type { HostedSessions } from '../../src/ledger/calls/sessions.ts';
import type { FaultyLine } from '../../src/ledger/portfolios/faulty-lines.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { rowCountOf } from '../../src/ledger/portfolios/summary.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { RowRequest } from '../../src/ledger/schema/row.ts';
import { type ExtraField, extrasIn, headerOfExtra } from '../../src/portfolio/columns/extra-fields.ts';
import { COLUMNS, fieldOf, KNOWN_COLUMNS, type KnownColumn } from '../../src/portfolio/columns/known-columns.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import type { Opened, PlainLine } from '../../src/portfolio/open-portfolio.ts';
import { areOfOtherCompanies, companyWords, isSentUnder, MADE_FOR } from '../rows/sent-for.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

/**
 * A line of an import, or a row whose line cannot be read any more. `found`: the row of the line. `fault`: the line's problem
 * in the last import.
 */
export type ExportedLine = {
  file: ImportFile;
  number: number;
  line: Line | PlainLine | undefined;
  found: FoundRow | undefined;
  fault: FaultyLine | undefined;
  /** The last link of the hosted sessions of its row's limit; '' for none. */
  link?: string | undefined;
  /** The company for which the limit of a skipped row was requested, if it is another one than the row's. */
  madeFor?: string | undefined;
};

/** An import and its stored copy. Without the copy, only its rows are exported. */
export type ImportFile = { known: KnownImport; open: (() => Promise<Opened>) | undefined };

type LinesDeps = {
  rows: Rows;
  portfolios: Portfolios;
  calls?: { sessions: Pick<HostedSessions, 'linksOf'> } | undefined;
};

/** How many line numbers are looked up at a time where the copy of a file is missing. */
const WINDOW_LINES = 1_000;

/**
 * All rows of a portfolio, and lines of the last import without a row, each once, by import and line. Lines are read some
 * hundreds at a time and their rows looked up, so neither files nor ledger are in memory as a whole.
 *
 * @param onOpened called for each file before its lines
 * @param isPlain whether only the lines' cells are needed
 */
export async function* exportedLines(
  portfolio: string,
  files: readonly ImportFile[],
  deps: LinesDeps,
  onOpened: (file: ImportFile, opened: Opened) => void,
  isPlain = false,
): AsyncGenerator<ExportedLine> {
  const state = await deps.portfolios.read(portfolio);
  const last = files.find(({ known }) => known.number === state.file?.number);
  const walk: Walk = { portfolio, state, last: last?.open ? last : undefined, seen: 0, deps };
  const ends: number[] = [];
  for (const file of files) {
    let end = 0;
    if (file.open) {
      const opened = await file.open();
      onOpened(file, opened);
      for await (const batch of isPlain ? opened.plainLines() : opened.batches()) {
        const to = batch.at(-1)?.line ?? end;
        yield* await linesBetween(file, batch, { from: end + 1, to }, walk);
        end = to;
      }
    }
    ends.push(end);
    if (!file.open) yield* rowsBehind(file, end, walk);
  }
  // If a copy has fewer lines than were imported, the rows of the missing lines are exported, too.
  if (walk.seen >= rowCountOf(await deps.portfolios.read(portfolio))) return;
  for (const [place, file] of files.entries()) if (file.open) yield* rowsBehind(file, ends[place] ?? 0, walk);
}

type Walk = {
  portfolio: string;
  state: PortfolioState;
  /** The last import, if its copy is readable: its invalid lines show the rows that they belong to. */
  last: ImportFile | undefined;
  /** Rows exported so far. */
  seen: number;
  deps: LinesDeps;
};

async function* rowsBehind(file: ImportFile, end: number, walk: Walk): AsyncGenerator<ExportedLine> {
  const last = await walk.deps.rows.lastLine(walk.portfolio);
  for (let from = end + 1; from <= last; from += WINDOW_LINES) {
    yield* await linesBetween(file, [], { from, to: from + WINDOW_LINES - 1 }, walk);
  }
}

async function linesBetween(
  file: ImportFile,
  batch: readonly (Line | PlainLine)[],
  between: { from: number; to: number },
  walk: Walk,
): Promise<ExportedLine[]> {
  const { portfolio, deps, last } = walk;
  const at = await deps.rows.resultsAtLines(portfolio, String(file.known.number), between);
  const keys = at.map(({ row }) => row.key);
  const keptAt = last ? await deps.portfolios.keptRows(portfolio, keys) : [];
  const lines = new Map(batch.map((line) => [line.line, line]));
  const entries = new Map<number, ExportedLine[]>();
  const enter = (number: number, found: FoundRow | undefined, fault: FaultyLine | undefined): void => {
    const entry = { file, number, line: lines.get(number), found, fault };
    entries.set(number, [...(entries.get(number) ?? []), entry]);
  };
  walk.seen += at.length;
  for (const [place, { line, ...found }] of at.entries()) {
    if (keptAt[place] === undefined) enter(line, found, undefined);
  }
  if (file === last) {
    const numbers = batch.map(({ line }) => line).filter((line) => !entries.has(line));
    for (const [line, { fault, found }] of await faultsAt(numbers, walk)) {
      if (fault || isUnread(walk.state)) enter(line, found, fault);
    }
  }
  const found = [...entries.values()].flat().sort((a, b) => a.number - b.number);
  const links = await deps.calls?.sessions.linksOf(found.map((entry) => entry.found?.result.limitId ?? ''));
  const madeFor = await otherCompanies(
    found.flatMap((entry) => entry.found ?? []),
    deps.rows,
  );
  return found.map((entry, place) => ({
    ...entry,
    ...(links && { link: links[place] }),
    madeFor: madeFor.get(entry.found?.row.key ?? ''),
  }));
}

/** The companies for which the limits of skipped rows were requested, by the rows' keys, where they are others than the rows'. */
async function otherCompanies(found: readonly FoundRow[], rows: LinesDeps['rows']): Promise<Map<string, string>> {
  const skipped = found.filter(({ result }) => result.state === 'skipped');
  const told = new Map<string, string>();
  if (skipped.length === 0) return told;
  const known = await rows.ofBuyers([...new Set(skipped.map(({ result }) => result.request.buyer))]);
  const made = skipped.flatMap(({ row, result: { request } }) => {
    const by = known.get(request.buyer)?.rows.find((one) => isSentUnder(row.key, one));
    return by ? [{ key: row.key, request, by: by.row }] : [];
  });
  const results = await rows.read(made.map(({ by }) => by));
  for (const [place, { key, request, by }] of made.entries()) {
    const sent = results[place]?.request;
    if (sent && areOfOtherCompanies(request, sent))
      told.set(key, `${MADE_FOR} ${companyWords(sent)}, in portfolio ${by.portfolio}`);
  }
  return told;
}

/** The problems of lines of the last import, and the rows that they belong to, of any import. */
async function faultsAt(numbers: number[], { portfolio, deps }: Walk) {
  const faults = await deps.portfolios.faultyLines(portfolio, numbers);
  const keys = faults.map((fault) => fault?.key ?? '');
  const keptAt = await deps.portfolios.keptRows(portfolio, keys);
  const rows = keys.map((key) => ({ portfolio, key }));
  const kept = rows.filter((_row, place) => keptAt[place] === numbers[place]);
  const results = new Map((await deps.rows.read(kept)).map((result, place) => [kept[place]?.key, result]));
  return numbers.map((line, place) => {
    const row = rows[place];
    const result = keptAt[place] === line ? results.get(row?.key) : undefined;
    return [line, { fault: faults[place], found: row && result ? { row, result } : undefined }] as const;
  });
}

/**
 * Whether the import may not have read some of the file's lines. Otherwise, a line without a fault shares the row of another line or
 * import, with which it is exported.
 */
const isUnread = ({ importing, interrupted }: PortfolioState): boolean => importing || interrupted;

/** How columns that are missing from some request bodies are filled: a line with a company id, for example, has no company body. */
const BESIDE_BODIES: { [column in KnownColumn]?: (request: RowRequest) => string | undefined } = {
  name: ({ name }) => name,
  supporting_documents: ({ documents }) => documents.map(({ name }) => name).join('|'),
  document_purpose: ({ documents }) => documents[0]?.purpose,
  company_id: ({ companyId }) => companyId,
};

/** The columns that {@link ledgerCells} fills, from what the ledger knows of a row whose file is gone. */
export const LEDGER_COLUMNS = KNOWN_COLUMNS.filter((column) => BESIDE_BODIES[column] ?? COLUMNS[column].in);

/** A row's extra fields, which a mapping sends at a path of the call's body, as text; none without a row. */
export function extrasOf(request: RowRequest | undefined): { field: ExtraField; text: string }[] {
  return [...extrasIn('company', request?.company), ...extrasIn('buyer_limit', request?.limit)];
}

/** The cells of {@link LEDGER_COLUMNS}; all empty without a row. */
export function ledgerCells(request: RowRequest | undefined): string[] {
  return LEDGER_COLUMNS.map((column) => (request && cellOf(column, request)) ?? '');
}

/** The cells of columns by their names, from what the ledger knows of a row whose line cannot be read. */
export function cellsByName(header: readonly string[], request: RowRequest | undefined): string[] {
  const known = ledgerCells(request).map((text, place): [string, string] => [LEDGER_COLUMNS[place] ?? '', text]);
  const extras = extrasOf(request).map(({ field, text }): [string, string] => [headerOfExtra(field), text]);
  const texts = new Map([...known, ...extras]);
  // If several columns have the same name, only the first of them is filled.
  return header.map((name, at) => (header.indexOf(name) === at && texts.get(name)) || '');
}

/** Reads the column's field from the stored request bodies. */
function cellOf(column: KnownColumn, request: RowRequest): string | null | undefined {
  const beside = BESIDE_BODIES[column];
  if (beside) return beside(request);
  const path = [...(COLUMNS[column].in?.split('.') ?? []), fieldOf(column)];
  return path.reduce<unknown>((body, name) => (body as Record<string, unknown> | undefined)?.[name], request) as string;
}

import type { ImportedFile, KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Column } from '../../src/portfolio/columns/column.ts';
import type { KnownColumn } from '../../src/portfolio/columns/known-columns.ts';
import { isErrorsHeader } from '../../src/portfolio/columns/result-columns.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { makeProblem, type Problem, visible, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { type ReadOptions, readOptionsSchema } from '../../src/portfolio/read-options.ts';

/** A file that follows others of its portfolio. */
type Following = { portfolio: string; reading: ReadOptions; opened: Opened };

type LeftOutDeps = { portfolios: Pick<Portfolios, 'read' | 'allImports'> };

/**
 * Compares the columns of a file with those of the portfolio's last one. A file is refused as a whole, before any line is put, if it lacks the
 * column by which requests that were sent are known again: its lines would be requested in addition. Warnings tell of other columns that are
 * lacking, since they make each requested line count as changed.
 */
export async function columnsLeftOut(
  { portfolio, reading, opened }: Following,
  { portfolios }: LeftOutDeps,
): Promise<{ opened: Opened; warnings: Problem[] }> {
  const { file, calls, states } = await portfolios.read(portfolio);
  const mapping = mappingLeftOut(opened.columns, file);
  const isSent = calls.limit > 0 || states.skipped > 0;
  if (!isSent || opened.problems.length > 0 || isErrorsHeader(opened.header)) return { opened, warnings: mapping };
  const files = (await portfolios.allImports(portfolio)).filter((one) => columnsOf(one));
  const [last] = files.sort((one, other) => other.lastMs - one.lastMs);
  const [then, now] = [(last && columnsOf(last)) ?? [], knownColumns(opened.columns, reading)];
  const lacking = then.filter((column) => !now.has(column));
  if (!last || lacking.length === 0) return { opened, warnings: mapping };
  const had = `The last file of this portfolio, ${visible(last.fileName)}, had ${columnWords(lacking)}, and this one has not.`;
  const identifying = then.filter((column) => IDENTIFYING.has(column));
  if (
    lacking.includes(REQUEST) ||
    (identifying.length > 0 && identifying.every((column) => lacking.includes(column)))
  ) {
    await opened.close();
    const problem = makeProblem(
      WHOLE_FILE,
      null,
      null,
      `${had} ${remedyWords(lacking.includes(REQUEST) ? REQUEST : String(identifying[0]))}`,
    );
    return { opened: { ...opened, problems: [problem], batches: noBatches }, warnings: mapping };
  }
  const changed = `${had} If that was forgotten, add it or name it with --map: otherwise lines that were requested count as changed.`;
  return { opened, warnings: [...mapping, makeProblem(WHOLE_FILE, null, null, changed)] };
}

function columnsOf({ found, columns }: KnownImport): string[] | undefined {
  return found?.columns ?? columns;
}

/** The known columns of a file, those with one value for all lines included. */
function knownColumns(columns: readonly Pick<Column, 'known'>[], { mapping }: ReadOptions): Set<string> {
  return new Set([...columns.flatMap(({ known }) => known ?? []), ...Object.keys(mapping?.constants ?? {})]);
}

const REQUEST = 'request_reference' satisfies KnownColumn;

/** The known columns in which a file's lines say something: request_reference only if a line has one. */
export function columnsThatSay(
  columns: readonly Column[],
  { reading, hasReferences }: { reading: ReadOptions; hasReferences: boolean },
): string[] {
  return [...knownColumns(columns, reading)].filter((column) => hasReferences || column !== REQUEST);
}

/** The columns that tell buyers of one name apart. Without any of them, each known buyer counts as a new one. */
const IDENTIFYING: ReadonlySet<string> = new Set<KnownColumn>([
  'country_code',
  'company_registration_number',
  'business_information_id',
  'buyer_reference',
]);

function remedyWords(column: string): string {
  return `Without it, limits that were requested would be requested a second time. Add it, or say which column of this file it is (--map "COLUMN=${column}"); or, if other requests are meant, import the file into another portfolio.`;
}

async function* noBatches(): AsyncGenerator<never> {}

/** The most columns that a message names; a mapping may have hundreds. */
const NAMED = 5;

function firstNamed(names: readonly string[], between: string): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(between)}${more}`;
}

function columnWords(columns: readonly string[]): string {
  return `the ${columns.length === 1 ? 'column' : 'columns'} ${firstNamed(columns, ', ')}`;
}

/** The warning about columns that a mapping gave a meaning in the portfolio's last file, and that have another meaning or none in this file. */
function mappingLeftOut(columns: readonly Column[], file: ImportedFile | undefined): Problem[] {
  const then = readOptionsSchema.safeParse(JSON.parse(file?.reading || '{}')).data?.mapping?.columns ?? {};
  const left = columns.flatMap(({ written, known, extra }) => {
    const meant = then[written] ?? null;
    return meant === null || meant === (extra ?? known) ? [] : [`--map "${visible(written)}=${meant}"`];
  });
  if (left.length === 0) return [];
  const message = `The last file of this portfolio, ${visible(file?.fileName ?? '')}, was read with ${firstNamed(left, ' ')}, and this one is not. If that was forgotten, read it with the same: otherwise lines that were requested count as changed.`;
  return [makeProblem(WHOLE_FILE, null, null, message)];
}

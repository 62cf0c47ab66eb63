import type { Line } from '../../src/portfolio/lines/row.ts';
import { type Opened, type PortfolioFile, tableOf } from '../../src/portfolio/open-portfolio.ts';
import type { PreviewColumn, PreviewRequest } from '../../src/portfolio/preview.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { openTable } from '../../src/table/open-table.ts';
import { nextRecord } from '../../src/table/table.ts';

/** Enough cells to show what a column contains. */
const SAMPLES = 3;

/** Lines that are searched for samples, because a column may be empty to its end. */
const LOOKED_AT_LINES = 2_000;

/** Characters of a sample. */
const SAMPLE_LENGTH = 60;

/**
 * The columns with samples from their first filled cells. Opens the file anew: if a required column is missing, no line of it
 * is read otherwise, and samples help a person to choose the column.
 *
 * @throws LimitlineError `FILE`, `STOPPED`
 */
export async function columnsWithSamples(
  file: PortfolioFile,
  { columns }: Pick<Opened, 'columns'>,
): Promise<PreviewColumn[]> {
  const found = columns.map((): string[] => []);
  const table = await openTable(tableOf(file));
  try {
    for (let lines = 0; lines < LOOKED_AT_LINES && found.some(({ length }) => length < SAMPLES); lines += 1) {
      const record = await nextRecord(table);
      if (!record) break;
      for (const [at, samples] of found.entries()) addSample(samples, record.cells[at] ?? '');
    }
  } finally {
    await table.close();
  }
  return columns.map(({ index, written, known, by, guess }, at) => {
    return { index, written, known, by, guess, samples: found[at] ?? [] };
  });
}

function addSample(samples: string[], cell: string): void {
  const text = cell.trim();
  if (text === '' || samples.length === SAMPLES) return;
  const sample = visible(text.length > SAMPLE_LENGTH ? `${text.slice(0, SAMPLE_LENGTH - 1)}…` : text);
  if (!samples.includes(sample)) samples.push(sample);
}

/** The requests of a line as they would be sent, with texts in place of ids that earlier calls answer. */
export function requestsOf({ line, row }: Extract<Line, { kind: 'row' }>): PreviewRequest {
  const { company, companyId, limit, documents } = row;
  const names = documents.map(({ name }) => name);
  return {
    line,
    company: companyId === undefined ? company : null,
    documents: names,
    limit: {
      company: companyId ?? '(the id of the company above)',
      ...limit,
      requested_limit: Number(limit.requested_limit),
      ...(names.length > 0 ? { supporting_documents: names.map((name) => `(the id of ${name})`) } : {}),
    },
  };
}

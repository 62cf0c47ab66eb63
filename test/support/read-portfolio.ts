import { join } from 'node:path';
import { makeDocumentFolder } from '../../src/documents/folder.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { openPortfolio, type PortfolioFile } from '../../src/portfolio/open-portfolio.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export const NOW = new Date('2026-11-21T00:00:00Z');
export const PDF = '%PDF-1.4\n%\u00e2\u00e3\n';

/** Writes the file and the documents, reads all of it. */
export async function read(content: string | Uint8Array, options: Partial<PortfolioFile> & { pdfs?: string[] } = {}) {
  const { dir, write } = await makeTemporaryFolder();
  const { pdfs, ...rest } = options;
  for (const name of pdfs ?? []) await write(`documents/${name}`, PDF);
  const documents = pdfs && makeDocumentFolder({ dir: join(dir, 'documents'), maxSizeMb: 1 });
  const path = await write('portfolio.csv', content);
  const opened = await openPortfolio({ path, documents, now: NOW, ...rest });
  return { ...opened, lines: await all(opened.batches()) };
}

export async function all(batches: AsyncIterable<Line[]>): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const batch of batches) lines.push(...batch);
  return lines;
}

/** The problems of the lines, as `line column: message`. */
export function told(lines: Line[]): string[] {
  return lines.flatMap((line) =>
    (line.kind === 'row' ? line.warnings : line.problems).map((one) => `${one.line} ${one.column}: ${one.message}`),
  );
}

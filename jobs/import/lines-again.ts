import type { ImportedFile } from '../../src/ledger/portfolios/imports.ts';
import { isErrorsHeader } from '../../src/portfolio/columns/result-columns.ts';
import { digestOf } from '../../src/portfolio/identity/digest.ts';
import { makeKeySet } from '../../src/portfolio/identity/digest-table.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { readOptionsSchema } from '../../src/portfolio/read-options.ts';

/** Opens the stored copy of an import. @throws LimitlineError `FILE`, `NOT_FOUND` */
export type OpenImport = (known: ImportedFile) => Promise<Opened>;

/**
 * Lines of an import that a later file of the same name has: with the same cells, so that they are told with that file, or on the same
 * line with other text in the faulty cells alone, which corrects them. A later file without them corrects nothing: files of each day may
 * have one name. Another sheet, other columns and an errors file, of which each round has other lines, correct nothing either.
 *
 * @throws LimitlineError `FILE`, `NOT_FOUND` where a copy cannot be read
 */
export async function linesAgain(known: ImportedFile, later: ImportedFile, open: OpenImport): Promise<number[]> {
  if (placeOf(known) !== placeOf(later)) return [];
  const faulty = await open(known);
  if (faulty.problems.length > 0 || isErrorsHeader(faulty.header)) {
    await faulty.close();
    return [];
  }
  const columns = faulty.header;
  const faultyCells = new Map<number, string[]>();
  for await (const batch of faulty.batches()) {
    for (const line of batch) {
      const named = line.kind === 'row' ? [] : line.problems.flatMap(({ column }) => column ?? []);
      if (named.length > 0) faultyCells.set(line.line, named);
    }
  }
  const keysOf = (line: number, cells: readonly string[]): string[] => {
    const rest = faultyCells.get(line);
    const others = rest && cells.map((cell, at) => (rest.includes(columns[at] ?? '') ? '' : cell));
    return [JSON.stringify(cells), ...(others ? [`${line} ${JSON.stringify(others)}`] : [])].map(digestOf);
  };
  const there = makeKeySet();
  const again = await open(later);
  const isAlike = JSON.stringify(again.header) === JSON.stringify(columns);
  if (!isAlike || again.problems.length > 0) {
    await again.close();
    return [];
  }
  for await (const batch of again.plainLines())
    for (const { line, cells } of batch) for (const key of keysOf(line, cells)) there.add(key);
  const found: number[] = [];
  for await (const batch of (await open(known)).plainLines())
    for (const { line, cells } of batch) if (keysOf(line, cells).some((key) => there.has(key))) found.push(line);
  return found;
}

/** Where and how an import found its lines: a line of another sheet, or of other columns, is another line. */
function placeOf({ reading }: ImportedFile): string {
  const { sheet, mapping } = readOptionsSchema.parse(JSON.parse(reading));
  return JSON.stringify([sheet, mapping]);
}

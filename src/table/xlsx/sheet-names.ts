import { openWorkbook } from './workbook.ts';

/**
 * The sheets of cells in a workbook, in their order, hidden ones too; none in a file that is no workbook.
 *
 * @throws Error in words when it is broken; LimitlineError `STOPPED`
 */
export async function sheetNames({ path, signal }: { path: string; signal?: AbortSignal }): Promise<string[]> {
  // Amounts are not looked at.
  const book = await openWorkbook({ path, signal, vocabulary: { saysThousands: () => false } });
  if (book === null || typeof book === 'string') return [];
  book.close();
  return book.sheets.map(({ name }) => name);
}

import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';

/** `q4.csv #2`: the second import of the portfolio, as people read of it. */
export function importName({ fileName, number }: Pick<KnownImport, 'fileName' | 'number'>): string {
  return `${fileName} #${number}`;
}

/** What the imports of a portfolio are called, by the numbers that rows bear, as in the column `import`. */
export async function importNames(
  portfolio: string,
  { portfolios }: { portfolios: Portfolios },
): Promise<Map<string, string>> {
  const all = await portfolios.allImports(portfolio);
  return new Map(all.map((known) => [String(known.number), importName(known)]));
}

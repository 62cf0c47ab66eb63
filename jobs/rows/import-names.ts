import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';

/** `q4.csv #2`: the portfolio's second import, as people see it. */
export function importName({ fileName, number }: Pick<KnownImport, 'fileName' | 'number'>): string {
  return `${fileName} #${number}`;
}

/** The names of a portfolio's imports, by import number, as in the column `import` of results. */
export async function importNames(
  portfolio: string,
  { portfolios }: { portfolios: Portfolios },
): Promise<Map<string, string>> {
  const all = await portfolios.allImports(portfolio);
  return new Map(all.map((known) => [String(known.number), importName(known)]));
}

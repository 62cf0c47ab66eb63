import { type RowId, rowIdOf } from '../../../ledger/schema/schema.ts';

/** The page of a row. */
export function rowAddress({ portfolio, key }: RowId): string {
  return `/portfolios/${encodeURIComponent(portfolio)}/rows/${encodeURIComponent(key)}`;
}

/** The row that the parameters of an address name; nothing where they name none. */
export function rowOfParams({ name, key }: { name?: string; key?: string }): RowId | undefined {
  return rowIdOf(`${name}/${key}`);
}

import { isLimitlineError } from '../../src/errors.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { isUnsent } from '../../src/ledger/portfolios/replacing.ts';
import type { BuyerRow } from '../../src/ledger/rows/buyer-rows.ts';
import {
  earlierProblemOf,
  isErrorsHeader,
  type LineOfFile,
  mendedLineOf,
  mendedRowOf,
  shortDigest,
} from '../../src/portfolio/columns/result-columns.ts';
import { type Copies, makeFileNames, makeImportLists, makeImportLook, openImported } from '../rows/import-names.ts';
import { tellingColumnsOf } from './columns-left-out.ts';

export type OtherFilesDeps = { portfolios: Pick<Portfolios, 'allImports'>; imports: Copies; signal?: AbortSignal };

/** What is known of the files of other rows, and what the lines of an errors file say of those that they correct. Other files say nothing. */
export function makeOtherFiles(header: readonly string[], deps: OtherFilesDeps) {
  const [importsOf, originsIn] = [makeImportLists(deps), makeOrigins(deps)];
  const [importOf, mendedLine] = [makeImportLook(deps, importsOf), mendedLineOf(header)];
  return {
    mendedRow: mendedRowOf(header),
    earlierProblem: earlierProblemOf(header),
    /**
     * Whether another line of the file that this line comes from led to the row, by itself or in another errors file. Then this line does not
     * correct it.
     */
    async isOfOtherLine(cells: readonly string[], { row, line, importId }: BuyerRow): Promise<boolean> {
      const from = mendedLine(cells);
      const known = from?.portfolio === row.portfolio ? await importOf(row, importId) : undefined;
      if (!from || !known) return false;
      if (shortDigest(known.id) === from.file) return line !== from.line;
      const origin = (await originsIn(known)).get(line);
      return origin?.file === from.file && origin.line !== from.line;
    },
    /**
     * A request that was sent for a later import of the file that this line comes from, by itself or by way of other errors files: there, the
     * line was mended as well. An errors file that has the name of that file does not count.
     */
    async sentSince(cells: readonly string[], rows: readonly BuyerRow[]): Promise<BuyerRow | undefined> {
      const from = mendedLine(cells);
      const sent = from ? rows.filter((one) => one.row.portfolio === from.portfolio && !isUnsent(one)) : [];
      if (!from || sent.length === 0) return undefined;
      const imports = await importsOf(from.portfolio);
      const before = await filesBefore(from, { imports, originsIn });
      const [last] = before;
      const isLater = (one: KnownImport) =>
        last !== undefined &&
        one.number > last.number &&
        tellingColumnsOf(one) !== undefined &&
        before.some(({ fileName }) => fileName === one.fileName);
      return sent.find(({ importId }) => imports.some((one) => String(one.number) === importId && isLater(one)));
    },
    fileOf: makeFileNames(deps),
    /** The currency in which a row was requested: what its file or an earlier one named. Undefined if none did, or it is not known. */
    async currencyOf({ row, importId }: BuyerRow): Promise<string | undefined> {
      const known = await importOf(row, importId);
      return known?.found?.sentIn ?? known?.found?.currency ?? known?.sentIn;
    },
  };
}

/** The files that led to a line of an errors file, the last one first. */
async function filesBefore(
  { file, line }: LineOfFile,
  known: { imports: readonly KnownImport[]; originsIn: (file: KnownImport) => Promise<Origins> },
  rounds = 1,
): Promise<KnownImport[]> {
  const found = known.imports.findLast(({ id }) => shortDigest(id) === file);
  const next = found && rounds < MOST_ROUNDS ? (await known.originsIn(found)).get(line) : undefined;
  return [...(found ? [found] : []), ...(next ? await filesBefore(next, known, rounds + 1) : [])];
}

/** The most rounds of errors files that are followed. People need a few. */
const MOST_ROUNDS = 100;

type Origins = ReadonlyMap<number, LineOfFile>;

/** Tells of each line of an errors file that was imported which line it comes from; nothing of other files, and of files that are gone. */
function makeOrigins(deps: OtherFilesDeps): (known: KnownImport) => Promise<Origins> {
  const read = new Map<number, Promise<Origins>>();
  return (known) => {
    const origins = read.get(known.number) ?? originsOf(known, deps);
    read.set(known.number, origins);
    return origins;
  };
}

async function originsOf(known: KnownImport, deps: OtherFilesDeps): Promise<Origins> {
  const origins = new Map<number, LineOfFile>();
  const opened = await openImported(known, deps).catch((error) => {
    if (!isLimitlineError(error, 'NOT_FOUND')) throw error;
  });
  if (!opened) return origins;
  try {
    if (!isErrorsHeader(opened.header)) return origins;
    const mendedLine = mendedLineOf(opened.header);
    for await (const batch of opened.plainLines()) {
      for (const { line, cells } of batch) {
        const from = mendedLine(cells);
        if (from) origins.set(line, from);
      }
    }
    return origins;
  } finally {
    await opened.close();
  }
}

import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileFault } from '../../src/files/file-fault.ts';
import { type Problem, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { resultsDialect } from '../../src/portfolio/results/results-dialect.ts';
import { type Dialect, PLAIN_DIALECT } from '../../src/table/dialect.ts';
import { encodeTable, makeTableText } from '../../src/table/write-table.ts';

const HEADER = ['line', 'column', 'value', 'problem'];

/**
 * Problems as they are found, in a CSV that opens as the imported file did. There is none where nothing is wrong.
 *
 * @param mode its permissions: cells of the imported file are in it
 */
export async function makeProblemsFile(path: string, mode: number) {
  // Of an import that was killed here before.
  await rm(path, { force: true });
  let dialect: Dialect = PLAIN_DIALECT;
  let open: { table: Transform; written: Promise<void> } | undefined;

  function begin() {
    const table = makeTableText(dialect);
    const to = createWriteStream(path, { flags: 'wx', mode: (mode & 0o666) | 0o600, flush: true });
    const written = pipeline(table, (texts: AsyncIterable<Buffer>) => encodeTable(texts, dialect), to);
    // It is told of at the end; until then nobody listens.
    written.catch(() => {});
    table.write(HEADER);
    return { table, written };
  }

  return {
    /** How the file is written that they are of. */
    like(input: Dialect): void {
      dialect = resultsDialect(input, 'cells');
    },
    add(problems: readonly Problem[]): void {
      if (problems.length > 0) open ??= begin();
      for (const { line, column, value, message } of problems) {
        open?.table.write([line === WHOLE_FILE ? '' : String(line), column ?? '', value ?? '', message]);
      }
    },
    /** @throws LimitlineError `FILE` where it could not be written */
    async end(): Promise<void> {
      open?.table.end();
      await open?.written.catch((error) => {
        throw fileFault(path, 'written', error);
      });
    },
  };
}

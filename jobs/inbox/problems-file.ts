import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileFault } from '../../src/files/draft.ts';
import { isAdvice } from '../../src/portfolio/lines/advice.ts';
import { type Problem, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { type Dialect, PLAIN_DIALECT } from '../../src/table/dialect.ts';
import { encodeTable, makeTableLine, resultsDialect } from '../../src/table/write-table.ts';

/**
 * Writes problems as they are found, into a CSV in the form of the imported file. Without problems there is no file.
 *
 * @param mode its permissions; it contains cells of the imported file
 */
export async function makeProblemsFile(path: string, mode: number) {
  // Removes what an import left that was killed.
  await rm(path, { force: true });
  let dialect: Dialect = PLAIN_DIALECT;
  let open: { table: PassThrough; lineOf: ReturnType<typeof makeTableLine>; written: Promise<void> } | undefined;

  function begin() {
    const [table, lineOf] = [new PassThrough(), makeTableLine(dialect)];
    const to = createWriteStream(path, { flags: 'wx', mode: (mode & 0o666) | 0o600, flush: true });
    const written = pipeline(table, (texts: AsyncIterable<Buffer>) => encodeTable(texts, dialect), to);
    // The error is thrown by `end`; without this it would count as unhandled.
    written.catch(() => {});
    table.write(lineOf(HEADER));
    return { table, lineOf, written };
  }

  return {
    /** Sets the imported file's dialect, in which the problems are written. */
    like(input: Dialect): void {
      dialect = resultsDialect(input, 'cells');
    },
    add(problems: readonly Problem[]): void {
      if (problems.length > 0) open ??= begin();
      for (const { line, column, value, message } of problems) {
        const cells = [line === WHOLE_FILE ? '' : line, column ?? '', value ?? '', message];
        open?.table.write(open.lineOf(cells));
      }
    },
    /** Adds the warnings, except those that nearly every file has. Returns how many of them are worth a notice: advice is not. */
    addWarnings(warnings: readonly Problem[]): number {
      const toList = warnings.filter(isToList);
      this.add(toList.map((warning) => ({ ...warning, message: `Warning: ${warning.message}` })));
      return toList.filter(({ message }) => !isAdvice(message)).length;
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

/** Whether a warning is written into the file. Advice about the whole file is not, since nearly every file gets it. */
const isToList = ({ line, column }: Problem) => line !== WHOLE_FILE || column === null;

const HEADER = ['line', 'column', 'value', 'problem'];

import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import type { ExportedLine, ImportFile } from './export-lines.ts';

/** What is written: a header, and for a line the records that it leads to. */
export type Table = {
  header: string[];
  /** Whether it asks nothing of lines but their cells. */
  isPlain: boolean;
  /** Is told of each file when its lines begin. */
  begin(file: ImportFile, opened: Opened): void;
  write(line: ExportedLine): Iterable<string[]>;
};

/** The files of a portfolio with what is known of each before its lines are read; nothing where its copy is gone. */
export type Files = ReadonlyMap<ImportFile, Opened | undefined>;

/**
 * In a sheet amounts and days are written plainly, for they are numbers there. Held rows alone have a column behind them, in which a
 * person says what became of their calls.
 */
export type TableOptions = { account: string; inSheet: boolean; isHeldOnly?: boolean };

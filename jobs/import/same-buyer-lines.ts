import { stat } from 'node:fs/promises';
import { LimitlineError } from '../../src/errors.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';

/** The most lines that a message names. */
const MOST_NAMED = 5;

/**
 * Checks that a file has the lines of which a person said `--same-buyer`, before any of it is used. A file that cannot be read as a list is
 * left to its own faults. A pipe, which can be read only once, is not looked at.
 *
 * @throws LimitlineError `USAGE` for lines that the file does not have
 */
export async function mustHaveLines(
  lines: readonly number[] = [],
  { path, open }: { path: string; open: () => Promise<Opened> },
): Promise<void> {
  const isFile = (await stat(path).catch(() => undefined))?.isFile() === true;
  if (lines.length === 0 || !isFile) return;
  const opened = await open();
  if (opened.problems.length > 0) return;
  const missing = new Set(lines);
  let last = opened.headerLine ?? 0;
  for await (const batch of opened.plainLines()) {
    for (const { line } of batch) {
      missing.delete(line);
      last = line;
    }
  }
  if (missing.size === 0) return;
  const named = [...missing].slice(0, MOST_NAMED).join(',');
  const message = `--same-buyer ${named}${missing.size > MOST_NAMED ? ' …' : ''} names no line of the file, whose last line is ${last}: correct the number.`;
  throw new LimitlineError('USAGE', message);
}

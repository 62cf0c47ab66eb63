import { LimitlineError } from '../../src/errors.ts';

/** More lines need a column, and each named line costs a check at every line. */
const MOST_LINES = 1_000;

/**
 * Parses lines of an option: `12`, `12-15` or `12,14`. Sorted and unique.
 *
 * @throws LimitlineError `USAGE` for invalid or too many lines
 */
export function linesNamed(option: string, args: readonly string[]): number[] {
  const lines = new Set<number>();
  for (const arg of args.flatMap((one) => one.split(','))) {
    const [, from = '', to = from] = /^\s*([1-9]\d{0,8})(?:\s*-\s*([1-9]\d{0,8}))?\s*$/.exec(arg) ?? [];
    const isRange = from !== '' && Number(from) <= Number(to);
    if (!isRange) throw new LimitlineError('USAGE', `${option} "${arg}" names no line: write 12, or 12-15.`);
    if (lines.size + Number(to) - Number(from) >= MOST_LINES) {
      throw new LimitlineError(
        'USAGE',
        `${option} names more than ${MOST_LINES} lines: write yes in a column same_buyer instead.`,
      );
    }
    for (let line = Number(from); line <= Number(to); line += 1) lines.add(line);
  }
  return [...lines].sort((a, b) => a - b);
}

import type { Line } from '../../src/portfolio/lines/row.ts';
import type { LargeRequest } from '../../src/portfolio/preview.ts';

/** As many as one looks through before one says yes. */
const SHOWN = 5;

/** Keeps the largest requests of those that it is given; of equal ones the first of the file. */
export function makeLargest() {
  let largest: LargeRequest[] = [];
  return {
    add(lines: readonly Line[]): void {
      const found = lines.flatMap((line) => (line.kind === 'row' ? [requestOf(line)] : []));
      largest = [...largest, ...found].sort(byAmount).slice(0, SHOWN);
    },
    result: (): readonly LargeRequest[] => largest,
  };
}

function requestOf({ line, row }: Extract<Line, { kind: 'row' }>): LargeRequest {
  return { line, name: row.name, requested: row.limit.requested_limit };
}

/** An amount has no more digits than a float carries exactly, so that floats compare as it does. */
function byAmount(a: LargeRequest, b: LargeRequest): number {
  return Number(b.requested) - Number(a.requested);
}

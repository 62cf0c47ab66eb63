import type { Line } from '../../src/portfolio/lines/row.ts';
import type { LargeRequest } from '../../src/portfolio/preview.ts';

/** As many as a person reads before saying yes. */
const SHOWN = 5;

/** Keeps the largest requests; of equal ones, the first in the file. */
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

/** Amounts have no more digits than a float holds exactly, so floats compare correctly. */
function byAmount(a: LargeRequest, b: LargeRequest): number {
  return Number(b.requested) - Number(a.requested);
}

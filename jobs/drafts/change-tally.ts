import type { Preview } from '../../src/portfolio/preview.ts';
import type { Change } from '../../src/portfolio/problem.ts';

/** Changes are many and alike: one for a column and a reason, with how many there are. */
export function makeChangeTally() {
  const kinds = new Map<string, Preview['changes'][number]>();
  return {
    add(changes: readonly Change[]): void {
      for (const { column, value, became, message } of changes) {
        const name = JSON.stringify([column, message]);
        const kind = kinds.get(name);
        if (kind) kind.count += 1;
        else if (kinds.size < MOST_KINDS) kinds.set(name, { column, count: 1, value, became, message });
      }
    },
    result: () => [...kinds.values()].sort((a, b) => b.count - a.count),
  };
}

/** A reason may name the cell's own text; beyond these, they are no kinds any more. */
const MOST_KINDS = 50;

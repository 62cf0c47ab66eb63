import { makeExactSum } from '../../src/exact-sum.ts';
import type { DraftVersion } from '../../src/portfolio/portfolio-draft.ts';
import type { LineToMend } from '../../src/portfolio/preview.ts';

type LeftOut = Pick<DraftVersion, 'outSum' | 'out'>;

/** The most lines left out whose requests are kept, because the portfolio's page looks for each of them. */
const MOST_OUT = 100;

/**
 * What a version knows of the lines that it leaves out: what the version before it knew, and these lines. Earlier versions of Limitline kept
 * neither the sum nor the requests. Then they stay unknown.
 */
export function leftOutWith(before: DraftVersion, lines: readonly LineToMend[]): LeftOut {
  const { leftOut, outSum, out = [] } = before;
  const isKnown = out.length === leftOut.length && out.length + lines.length <= MOST_OUT;
  return {
    outSum: leftOut.length > 0 && !outSum ? undefined : withLines(outSum, lines),
    out: isKnown ? [...out, ...lines.map(({ key = '', requested: amount }) => ({ key, amount }))] : undefined,
  };
}

function withLines(before: LeftOut['outSum'], lines: readonly LineToMend[]): LeftOut['outSum'] {
  const sum = makeExactSum();
  sum.add(before?.amount ?? '0');
  for (const { requested } of lines) if (requested !== undefined) sum.add(requested);
  const bare = lines.filter(({ requested }) => requested === undefined).length;
  return { amount: sum.total(), bare: (before?.bare ?? 0) + bare };
}

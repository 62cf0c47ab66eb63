import type { PaceState } from '../../src/pace/pace-words.ts';

/** The pace at a limit that was reached. */
export const AT_LIMIT: PaceState = {
  phase: 'hold',
  ratePerS: 98,
  flowPerS: 97,
  isLimiting: true,
  atCeiling: false,
  blocked: undefined,
};

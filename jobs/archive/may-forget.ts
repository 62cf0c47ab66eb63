import { LimitlineError } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import type { ForgetAnswer } from '../../src/ledger/archive/forgetting.ts';
import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { grantedOf } from '../../src/ledger/counts/outcome-sums.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { ArchiveState, Archives } from '../../src/ledger/schema/archives.ts';
import { rowsIn, UNFINISHED_STATES } from '../../src/ledger/schema/row.ts';

/** The facts that a person sees before a portfolio is forgotten. `state` is its archive state, if it has one. */
export type BeforeForgetting = Required<Pick<ArchiveState, 'states' | 'requested' | 'granted'>> & {
  state: ArchiveState | undefined;
};

/**
 * Checks whether a portfolio may be forgotten, and reads its counts and sums.
 *
 * @throws LimitlineError `USAGE` where it may not, with what to do first; `NOT_FOUND`
 */
export async function lookBeforeForgetting(
  name: string,
  {
    archives,
    portfolios,
    statusMeanings,
  }: { archives: Archives; portfolios: Portfolios; statusMeanings: Pick<MeaningStore, 'read'> },
): Promise<BeforeForgetting> {
  const state = await archives.read(name);
  if (state && state.is !== 'archived' && state.is !== 'forgetting' && state.is !== 'forgotten') {
    throw refusal(name, { is: state.is });
  }
  // Some or all rows may be in files only. Then the archive state has the portfolio's counts and sums.
  if (state) {
    const { states = {}, requested = '0', granted = '0' } = state;
    if (state.is === 'archived' || state.states) return { state, states, requested, granted };
  }
  const [found, meanings] = await Promise.all([portfolios.read(name), statusMeanings.read()]);
  const { states, sums, startedMs, finishedMs, importing, interrupted } = found;
  if (startedMs === undefined) throw refusal(name, { is: 'none' });
  const isOpen = rowsIn(states, UNFINISHED_STATES) > 0;
  if (!state && (isOpen || importing || interrupted || finishedMs === undefined)) throw refusal(name, { is: 'open' });
  if (!state && states.held > 0) throw refusal(name, { is: 'held', rows: states.held });
  return { state, states, requested: sums.requested, granted: grantedOf(found, meanings).granted };
}

/** The error for a portfolio that may not be forgotten now, with what to do first. */
export function refusal(name: string, answer: Exclude<ForgetAnswer, { is: 'go' | 'forgotten' }>): LimitlineError {
  switch (answer.is) {
    case 'none':
      return new LimitlineError('NOT_FOUND', `There is no portfolio "${name}": nothing was changed.`);
    case 'held': {
      const isOne = answer.rows === 1;
      const held = isOne ? 'One row' : `${answer.rows} rows`;
      const words = `${held} of ${name} ${isOne ? 'waits' : 'wait'} for a person to say what became of a call. Nothing was changed; forget it after that. ${heldRemedy(name)}.`;
      return new LimitlineError('USAGE', words);
    }
    case 'open': {
      const words = `${name} is not finished: wait until it is, or give up what is left with npx limitline cancel "${name}". Nothing was changed; forget it then.`;
      return new LimitlineError('USAGE', words);
    }
    case 'restoring': {
      const words = `${name} is being restored: npx limitline restore "${name}" completes this. Nothing was changed; forget the portfolio afterwards.`;
      return new LimitlineError('USAGE', words);
    }
    default: {
      const words = `${name} is being archived: npx limitline archive "${name}" completes this. Nothing was changed; forget the portfolio afterwards.`;
      return new LimitlineError('USAGE', words);
    }
  }
}

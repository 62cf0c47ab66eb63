import { LimitlineError } from '../../src/errors.ts';
import type { MeaningStore, SeenMeaning } from '../../src/ledger/counts/meaning-store.ts';
import { faultOfStatus, readMeanings, type StatusMeaning } from '../../src/status-meaning.ts';

type MeaningDeps = { settings: { STATUS_MEANINGS: readonly string[] }; statusMeanings: Pick<MeaningStore, 'set'> };

/**
 * Sets what a status means for the account, in a person's name. Without a `meaning`, the earlier one is removed. Answers false, and changes
 * nothing, if the present meaning is not the one that the person had `seen`.
 *
 * @throws LimitlineError `USAGE` for a status that can have no meaning, and for one whose meaning the setting STATUS_MEANINGS gives
 */
export async function setMeaning(
  status: string,
  meaning: StatusMeaning | undefined,
  by: string,
  { settings, statusMeanings }: MeaningDeps,
  seen?: SeenMeaning,
): Promise<boolean> {
  const fault = faultOfStatus(status);
  if (fault !== undefined) throw new LimitlineError('USAGE', `The status ${fault}, so no meaning can be given to it.`);
  if (readMeanings(settings.STATUS_MEANINGS).meanings.has(status)) {
    const words = `The setting STATUS_MEANINGS says what ${JSON.stringify(status)} means, and goes before what is said here: change that setting.`;
    throw new LimitlineError('USAGE', words);
  }
  return statusMeanings.set(status, meaning, by, seen);
}

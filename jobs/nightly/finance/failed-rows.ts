import type { CauseMeaning, RowCause } from '../../../src/ledger/counts/cause.ts';
import type { FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Step } from '../../../src/ledger/schema/row.ts';
import { ageWords, quoted, rowItem, rowOption } from '../row-facts.ts';
import type { RowCheck, WalkedRow } from '../walk-ledger.ts';
import type { FactsOf, PortfolioFacts } from './portfolio-facts.ts';

/** Finds held and refused rows, by cause and age. */
export function makeFailedRows({ factsOf, sink, atMs }: { factsOf: FactsOf; sink: FoundSink; atMs: number }): RowCheck {
  const tell = async (walked: WalkedRow) => sink.found(failedRow(walked, await factsOf(walked.row.portfolio), atMs));
  return {
    row(walked) {
      const { state } = walked.result;
      // Returns no promise for most rows, to save time.
      return state === 'held' || state === 'refused' ? tell(walked) : undefined;
    },
  };
}

/** The finding for a held or refused row. */
export function failedRow(walked: WalkedRow, { causes, lastImport }: PortfolioFacts, atMs: number): FoundItem {
  const { portfolio } = walked.row;
  const { state, step, cause: id = '', updatedMs: sinceMs } = walked.result;
  const cause = causes.get(id);
  const words = `${reasonOf(cause, step)}, ${ageWords(atMs - sinceMs)}`;
  const says = cause && cause.words !== '' ? `${words}: ${cause.words}` : words;
  const name = quoted(portfolio);
  if (state === 'held') {
    // --resend would be the other choice. --made is the safer one for a person without knowledge.
    return rowItem('held', walked, says, {
      sinceMs,
      command: `resolve ${name} ${rowOption(walked, lastImport)} --made ID`,
    });
  }
  const chosen = cause ? `--cause ${id}` : rowOption(walked, lastImport);
  return rowItem('refused', walked, says, { sinceMs, command: `retry ${name} ${chosen}` });
}

/** Why a row failed, followed by the service's own words. */
const REASONS: Readonly<Record<CauseMeaning, (at: string) => string>> = {
  refused: (at) => `refused at ${at}`,
  unknown: (at) => `outcome unknown at ${at}`,
  'put off': (at) => `put off too often at ${at}`,
  other: (at) => `made before for another buyer or amount, at ${at}`,
  ours: (at) => `fault of Limitline at ${at}`,
};

const STEP_WORDS: Readonly<Record<Step, string>> = {
  company: 'the company',
  documents: 'the documents',
  limit: 'the limit',
};

function reasonOf(cause: RowCause | undefined, step: Step): string {
  if (!cause) return `at ${STEP_WORDS[step]}`;
  const reason = REASONS[cause.meaning](STEP_WORDS[cause.step]);
  return cause.status === null ? reason : `${reason} with status ${cause.status}`;
}

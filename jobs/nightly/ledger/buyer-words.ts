import type { Forgetting } from '../../../src/ledger/archive/forgetting.ts';
import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Ask } from '../../../src/ledger/nightly/row-walk.ts';
import type { Buyers } from '../../../src/ledger/rows/buyers.ts';
import type { RowRequest } from '../../../src/ledger/schema/row.ts';
import { numbersOf } from '../../../src/ledger/search/index-words.ts';
import { numberWord } from '../../../src/portfolio/identity/identity.ts';
import { fromBuyer, toBuyer } from '../../rows/buyer-record.ts';

export type WordsDeps = {
  buyers: Pick<Buyers, 'pages' | 'addWords' | 'removeWords'>;
  forgetting: Pick<Forgetting, 'requestsOf' | 'writeBuyers'>;
};

/** Compares the search words of all buyers with the buyers' records, and mends them. Records that older versions wrote get their words. */
export async function checkBuyerWords(
  { buyers, forgetting }: WordsDeps,
  { sink, ask, signal }: { sink: FoundSink; ask: Ask; signal: AbortSignal },
): Promise<void> {
  let [wrong, missing] = [0, 0];
  for (let leaf: string | null = ''; leaf !== null; ) {
    signal.throwIfAborted();
    const place: string = leaf;
    const [removed, next] = await ask(() => buyers.removeWords(place));
    wrong += removed;
    leaf = next ?? null;
  }
  for await (const page of buyers.pages()) {
    signal.throwIfAborted();
    const former = page.filter(({ record }) => !record.includes('"w":"'));
    const left = await Promise.all(former.map(async (one) => ({ ...one, left: await withWords(one, forgetting) })));
    await ask(() => forgetting.writeBuyers(left));
    missing += await ask(() => buyers.addWords(page.map(({ key }) => key)));
  }
  for (const [says, rows] of [
    [WRONG, wrong],
    [MISSING, missing],
  ] as const) {
    if (rows > 0) await sink.found({ check: 'indexes', portfolio: '', says, rows, isMended: true });
  }
}

const WRONG = 'buyers were found by words that they do not have; this is corrected';
const MISSING = 'buyers were not found by all of their words; this is corrected';

/** A buyer's record of an older version, completed for search by the numbers of some of the buyer's rows. */
async function withWords({ key, record }: { key: string; record: string }, { requestsOf }: WordsDeps['forgetting']) {
  const numbers = new Set<string>();
  for await (const page of requestsOf(key)) {
    for (const { request } of page) {
      for (const number of request ? numbersOf((JSON.parse(request) as RowRequest).limit) : []) {
        numbers.add(numberWord(number));
      }
    }
    break;
  }
  return fromBuyer({ ...toBuyer(key, record), numbers: [...numbers] });
}

import type { Decision } from '../buyer.ts';
import { type BuyerBook, makeBuyerBook } from '../buyer-book.ts';
import type { Identifier } from '../identity.ts';
import { makeFileBuyers } from './buyers.ts';
import type { FilePlace } from './entries.ts';

/**
 * The buyer book for a file that is read alone: lines are compared with each other only, and nothing is stored.
 *
 * Most lines share nothing with an earlier line. That test takes two microseconds; a full lookup takes ten.
 */
export function makeFileBook(place: FilePlace): BuyerBook {
  const buyers = makeFileBuyers(place);
  const book = makeBuyerBook(buyers, place);

  return {
    portfolio: place.portfolio,
    async tell(lines) {
      const decisions: Decision[] = [];
      for (const line of lines) {
        if (!buyers.isStranger(line)) {
          decisions.push(...(await book.tell([line])));
          continue;
        }
        const by = line.identifiers[0] as Identifier;
        if (line.isSound) buyers.bring(line);
        decisions.push({ is: 'new', key: by.digest, by, warnings: [] });
      }
      return decisions;
    },
  };
}

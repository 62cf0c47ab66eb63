import { z } from 'zod';
import type { BuyerStory, FoundBuyers, FoundLines } from '../../../ledger/story/row-story.ts';
import type { Meanings } from '../../../status-meaning.ts';
import { LOOKS } from '../../access/access.ts';
import { ConsoleError } from '../../console-app.ts';
import { t } from '../../html/html.ts';
import { cutWords } from '../../parts/text.ts';
import { digits, page, text } from '../page.ts';
import { buyerPage, foundPage, shownBuyer } from './buyers-view.ts';

export type BuyersPageFunctions = {
  meanings: () => Promise<Meanings>;
  /** Finds buyers in all portfolios by a text, from the cursor `after` on. */
  find: (text: string, range: { after: string; count: number }) => Promise<FoundBuyers>;
  /** Lines that led to no request and whose name has the words of a text, in the newest portfolios. */
  lines: (text: string) => Promise<FoundLines>;
  /** A buyer with its requests from an index on; undefined for an unknown one. */
  story: (key: string, range: { from: number; count: number }) => Promise<BuyerStory | undefined>;
};

/** Buyers on a page of the search, and requests on a page of a buyer: as many as a person reads through. */
const FOUND_SHOWN = 20;
const REQUESTS_SHOWN = 40;

/** The most characters of a searched text; no name, number or id that anybody types is longer. */
const LONGEST_TEXT = 200;

/** `/search`: buyers of all portfolios, found by name, number, reference or id; and `/buyers/:key`: all requests of one of them. */
export const buyersPage = page<BuyersPageFunctions>({ at: 'portfolios' }, ({ get }) => [
  get('/search', {
    may: LOOKS,
    query: z.object({ text: text.transform((words) => words.trim().slice(0, LONGEST_TEXT)), after: text }),
    show: async ({ query, given }) => {
      const nothing: FoundBuyers = { buyers: [], gone: [], next: undefined };
      const isFirst = query.text !== '' && query.after === '';
      const [found, faulty, meanings] = await Promise.all([
        query.text === '' ? nothing : given.find(query.text, { after: query.after, count: FOUND_SHOWN }),
        isFirst ? given.lines(query.text) : { lines: [], unread: [] },
        given.meanings(),
      ]);
      return { title: t`Find a buyer`, body: foundPage(found, { ...query, meanings, faulty }) };
    },
  }),
  get('/buyers/:key', {
    may: LOOKS,
    query: z.object({ from: digits(5) }),
    show: async ({ params: { key = '' }, query: { from }, given }) => {
      const story = await given.story(key, { from, count: REQUESTS_SHOWN });
      if (!story) {
        throw new ConsoleError(404, t`No such buyer is known. It may be of another account: see the line above.`);
      }
      return { title: cutWords(shownBuyer(story)), body: buyerPage(story, { from, meanings: await given.meanings() }) };
    },
  }),
]);

import { IDENTIFIER_WORDS } from '../../src/portfolio/identity/buyer-words.ts';
import { makeKeySet } from '../../src/portfolio/identity/digest.ts';
import type { IdentifierKind } from '../../src/portfolio/identity/identity.ts';
import type { Line, ToldBuyer } from '../../src/portfolio/lines/row.ts';
import { visible } from '../../src/portfolio/problem.ts';

/** A line, and the identifier by which its buyer was recognised. */
type ListedLine = { line: number; name: string; by: IdentifierKind; value: string };

/** A buyer that has several lines, or was known before the file. `name` is null if it is not kept. */
type ListedBuyer = {
  buyer: string;
  name: string | null;
  /**
   * The line that first named the buyer. `portfolio` is null if that line is of the portfolio for which the file is read, in this file or
   * an earlier one (`isEarlier`).
   */
  first: { portfolio: string | null; line: number; isEarlier: boolean };
  lines: ListedLine[];
  /** The number of further lines of the buyer, which are not listed. */
  more: number;
};

type BuyerList = { listed: ListedBuyer[]; more: number };

/** The most buyers and lines of a buyer that are listed: as much as a person reads. */
const MOST_BUYERS = 100;
const MOST_LINES = 20;

/** Collects the lines of each buyer. */
export function makeBuyerList(portfolio: string) {
  const listed = new Map<string, ListedBuyer>();
  const others = makeKeySet();
  /** Buyers that a line of this file brought. */
  const own = makeKeySet();
  let more = 0;
  return {
    add(batch: readonly Line[]): void {
      for (const line of batch) {
        const { told } = line;
        const brought = line.kind === 'row' ? line.row.buyer : line.buyer;
        if (!told && brought !== undefined) own.add(brought);
        if (!told || line.kind === 'invalid') continue;
        const its = listed.get(told.key);
        if (its && its.lines.length < MOST_LINES) its.lines.push(listedLine(line, told));
        else if (its) its.more += 1;
        else if (listed.size < MOST_BUYERS)
          listed.set(told.key, listedBuyer(line, told, { portfolio, isOwn: own.has(told.key) }));
        else if (others.add(told.key)) more += 1;
      }
    },
    result: (): BuyerList => ({ listed: [...listed.values()], more }),
  };
}

function listedBuyer(
  line: Line,
  told: ToldBuyer,
  { portfolio, isOwn }: { portfolio: string; isOwn: boolean },
): ListedBuyer {
  const { key, name, of } = told;
  const isHere = of.portfolio === portfolio;
  const first = { portfolio: isHere ? null : of.portfolio, line: of.line, isEarlier: isHere && !isOwn };
  return { buyer: key, name, first, lines: [listedLine(line, told)], more: 0 };
}

function listedLine(line: Line, { by, written }: ToldBuyer): ListedLine {
  return { line: line.line, name: line.kind === 'row' ? line.row.name : '', by, value: written };
}

export function buyerWords({ listed, more }: BuyerList): string[] {
  if (listed.length === 0) return ['Buyers: each line means a different buyer, and none of them is known yet.'];
  const words = listed.flatMap(({ name, first, lines, more: left }) => [
    `  ${visible(name ?? 'A buyer')} (${first.portfolio === null ? '' : `portfolio ${first.portfolio}, `}line ${first.line}${first.isEarlier ? ' of an earlier import' : ''}):`,
    ...lines.map(
      ({ line, name: own, by, value }) => `    line ${line} by its ${reason(by, value)}${alsoCalled(own, name)}`,
    ),
    ...(left > 0 ? [`    and ${left.toLocaleString('en')} more ${left === 1 ? 'line' : 'lines'}`] : []),
  ]);
  const rest = more > 0 ? [`  and ${more.toLocaleString('en')} more ${more === 1 ? 'buyer' : 'buyers'}`] : [];
  return ['Buyers that several lines mean, or that are known already:', ...words, ...rest];
}

function reason(by: IdentifierKind, value: string): string {
  return by === 'name' ? 'name' : `${IDENTIFIER_WORDS[by]} ${visible(value)}`;
}

const alsoCalled = (own: string, name: string | null): string =>
  own === '' || own === name ? '' : ` (${visible(own)})`;

import type { Buyer, BuyerLine, Holder, Identifier, KnownBuyers } from './identity.ts';
import { MOST_HOLDERS, numberWord } from './identity.ts';
import { differByZeros, mayBeOneNumber } from './leading-zeros.ts';
import { isCutOff } from './loose-name.ts';

/** An identifier of a line, and what a buyer has in its place: the same with more or fewer zeros before it, or written otherwise. */
export type TheirNumber = { by: Identifier; theirs: string; buyer: Buyer };

/** The buyers that hold an identifier, as far as they are known. */
export function buyersOf(holders: readonly Holder[], known: KnownBuyers): Buyer[] {
  return holders.map(({ key }) => known.buyer(key)).filter((buyer) => buyer !== undefined);
}

export function hasName(buyer: Buyer, { alike }: Pick<BuyerLine, 'alike'>): boolean {
  return buyer.names.some((name) => name.alike === alike);
}

/**
 * Buyers with a name alike: those of the line's country, those where a country lacks, those without words that people leave out, and those
 * of which a system cut off one of the names.
 */
export function alikesOf(line: BuyerLine, known: KnownBuyers): Buyer[][] {
  const of = (digest = '') => buyersOf(known.holders(digest), known);
  const isCut = ({ names }: Buyer) => names.some(({ written }) => written !== null && isCutOff(written, line.name));
  return [of(line.alikeHere), of(line.alikeUnplaced()), of(line.alikeBare), of(line.alikeBegun).filter(isCut)];
}

/** Buyers with the line's register number, which may be meant under whatever name, if their references differ by zeros. */
export function numberedOf(line: BuyerLine, known: KnownBuyers): Buyer[] {
  return line.identifiers
    .filter(({ kind }) => kind === 'registration' || kind === 'information')
    .flatMap(({ digest }) => buyersOf(known.holders(digest), known))
    .filter((buyer) => buyer.reference !== '' && zerosBetween(line, buyer) !== undefined);
}

/** The known buyer about which a line is asked that would make a new one: a number of the two may be the same. */
export function askedAbout(line: BuyerLine, known: KnownBuyers): (TheirNumber & { isZeros: boolean }) | undefined {
  const ofNames = alikesOf(line, known).flat();
  const close = isCrowded(line, known.holders) ? line.withZeros() : [];
  const hidden = close.flatMap((digest) => buyersOf(known.holders(digest), known)).filter((one) => hasName(one, line));
  for (const buyer of [...ofNames, ...hidden, ...numberedOf(line, known)]) {
    const lost = zerosBetween(line, buyer);
    if (lost) return { ...lost, isZeros: true };
  }
  // A line with problems of its own, such as a wrong country, makes no buyer. What it may correct is found by its name.
  for (const buyer of line.isSound ? [...ofNames, ...hidden] : []) {
    const likely = numberBetween(line, buyer);
    if (likely) return { ...likely, isZeros: false };
  }
  return undefined;
}

/**
 * The identifier of the line, and that of a buyer with a name alike, if they differ by leading zeros alone. Spreadsheet programs remove such
 * zeros. Numbers do not count where both have references, since other references are other buyers.
 */
function zerosBetween(line: BuyerLine, buyer: Buyer): TheirNumber | undefined {
  const { identifiers, numbers } = line;
  const [strongest] = identifiers;
  if (strongest?.kind === 'reference' && buyer.reference !== '') {
    const { written } = strongest;
    return differByZeros(written, buyer.reference) ? { by: strongest, theirs: buyer.reference, buyer } : undefined;
  }
  for (const own of numbers) {
    const theirs = buyer.numbers.find((number) => differByZeros(own, number));
    const by = numberOf(line, own);
    if (by && theirs !== undefined) return { by, theirs, buyer };
  }
  return undefined;
}

/** The identifier of a line that has this number. The id of a source is the last number. */
function numberOf({ identifiers, numbers }: BuyerLine, number: string): Identifier | undefined {
  const isOf = ({ kind, written }: Identifier) => kind === 'registration' && numberWord(written) === number;
  const isLast = number === numbers.at(-1);
  return identifiers.find(isOf) ?? (isLast ? identifiers.find(({ kind }) => kind === 'information') : undefined);
}

/** The number of the line that may be one of a buyer with a name alike, written otherwise. None where both have references. */
function numberBetween(line: BuyerLine, buyer: Buyer): TheirNumber | undefined {
  const { identifiers, numbers } = line;
  if (identifiers[0]?.kind === 'reference' && buyer.reference !== '') return undefined;
  for (const own of numbers) {
    // Without a country a registration number is no identifier.
    const by = numberOf(line, own) ?? { kind: 'registration', digest: '', written: own };
    // The text of an identifier is whole, and that of a number may be cut.
    const whole = by.kind === 'registration' ? by.written : own;
    const theirs = buyer.numbers.find((number) => number === own || mayBeOneNumber(whole, number));
    if (theirs !== undefined) return { by, theirs, buyer };
  }
  return undefined;
}

/** Whether more buyers may have the name of a line, which no buyer has the strongest identifier of, than are stored. */
export function isCrowded(line: BuyerLine, holders: KnownBuyers['holders']): boolean {
  const [strongest] = line.identifiers;
  const isUnknown = line.same !== 'no' && strongest !== undefined && holders(strongest.digest).length === 0;
  return isUnknown && [line.alikeHere, line.alikeUnplaced()].some((digest) => holders(digest).length >= MOST_HOLDERS);
}

import { counted } from '../../counted.ts';
import { cutText } from '../../cut-text.ts';
import { hasName, type TheirNumber } from './alike-buyers.ts';
import type { Buyer, BuyerFinding, BuyerLine, Identifier, IdentifierKind, KnownBuyers } from './identity.ts';

export const IDENTIFIER_WORDS: Readonly<Record<IdentifierKind, string>> = {
  reference: 'buyer_reference',
  information: 'business information id',
  registration: 'company registration number',
  name: 'name',
};

/** The problem that the line has an identifier of a buyer with another name. */
export function otherName(line: BuyerLine, by: Identifier, buyer: Buyer, known: KnownBuyers): BuyerFinding {
  return {
    at: by.kind,
    value: by.written,
    message: `The ${wordsOf(by)} belongs to ${told(buyer, known)}, and this line names ${quoted(line.name)}. Correct the one that is wrong; if they are two buyers, ${apartWords(line, by)}; if they are the same, say --same-buyer ${line.line} or write "yes" in the column same_buyer.`,
  };
}

/**
 * Says how a line is told apart from a buyer that has its identifier `by`. If that is the line's strongest, only a reference for each does so.
 * Otherwise "no" in same_buyer is enough, since the line's stronger identifier then decides.
 */
function apartWords({ identifiers }: BuyerLine, by: Identifier): string {
  return by === identifiers[0]
    ? 'give each a buyer_reference of its own, and write "no" in the column same_buyer'
    : 'write "no" in the column same_buyer, or give each a buyer_reference of its own';
}

/** The problem that two identifiers of the line belong to two different buyers. */
export function otherBuyers(
  line: BuyerLine,
  { by, buyer }: { by: Identifier; buyer: Buyer },
  { by: other, others }: { by: Identifier; others: Buyer[] },
  known: KnownBuyers,
): BuyerFinding {
  const whose = listed(others, known);
  return {
    at: other.kind,
    value: other.written,
    message: `The ${wordsOf(by)} belongs to ${told(buyer, known)}, but the ${wordsOf(other)} to ${whose}. Correct the one that is wrong. If both are right, say --same-buyer ${line.line} or write "yes" in the column same_buyer: then the ${IDENTIFIER_WORDS[by.kind]} decides which buyer is meant.`,
  };
}

/** The problem that several buyers have the identifier, and no stronger one decides between them. */
export function severalBuyers(line: BuyerLine, by: Identifier, buyers: Buyer[], known: KnownBuyers): BuyerFinding {
  return {
    at: by.kind,
    value: by.written,
    message: `The ${wordsOf(by)} belongs to several buyers, ${listed(buyers, known)}, and nothing in this line (${quoted(line.name)}) tells which is meant: give it a buyer_reference.`,
  };
}

/** The problem that a person says that the line means another buyer, but no identifier distinguishes the two. */
export function toldApart(line: BuyerLine, by: Identifier, buyers: Buyer[], known: KnownBuyers): BuyerFinding {
  // The no stays in the list from which each month's file is made, and its line has the buyer of its own by then.
  const isNamed = buyers.some((buyer) => hasName(buyer, line) && buyer.stands?.importId !== known.importId);
  const stays = isNamed ? ' If an earlier file brought this very buyer with that no, take the no away.' : '';
  return {
    at: by.kind,
    value: by.written,
    message: `same_buyer says no, but the ${wordsOf(by)} belongs to ${listed(buyers, known)}, and nothing else tells them apart: give this line a buyer_reference of its own as well.${stays}`,
  };
}

/** The warning that the city or street differs from the buyer's. */
export function anotherPlace(
  line: BuyerLine,
  { by, what }: { by: Identifier; what: 'city' | 'street' },
  buyer: Buyer,
  known: KnownBuyers,
): BuyerFinding {
  return {
    at: what,
    value: line[what],
    message: `The ${what} differs from ${quoted(buyer[what])} of ${told(buyer, known)}, which counts as the same buyer. If it is another buyer, ${apartWords(line, by)}.`,
  };
}

/** The warning that the name is another only by ß and ss, or by the sign of a hyphen. */
export function otherSpelling(line: BuyerLine, by: Identifier, buyer: Buyer, known: KnownBuyers): BuyerFinding {
  return {
    at: 'name',
    value: line.name,
    message: `The name is spelt otherwise than that of ${told(buyer, known)}, which counts as the same buyer. If it is another buyer, ${apartWords(line, by)}.`,
  };
}

/** How a new buyer is like another: they share a company_id (`isOfCompany`) or an identifier, and a stronger one keeps them apart. */
type Alike = { isOfCompany: boolean; shared: Identifier | undefined; apart: Identifier | undefined };

/** The warning that a new buyer has the same name as another, or the same company_id. */
export function likeAnother(
  line: BuyerLine,
  other: Buyer,
  { isOfCompany, shared, apart }: Alike,
  known: KnownBuyers,
): BuyerFinding {
  const company = isOfCompany ? ' with the same company_id' : '';
  const why =
    shared && apart
      ? `which has the same ${IDENTIFIER_WORDS[shared.kind]}, but another ${IDENTIFIER_WORDS[apart.kind]},`
      : 'but no identifier shows it,';
  return {
    at: 'name',
    value: line.name,
    message: `This may be the same buyer as ${placeOf(other, known)} (${calls(other)})${company}, ${why} so it becomes a new buyer. If it is the same, say --same-buyer ${line.line}, or give both the same buyer_reference.`,
  };
}

/** The warning that a new buyer is like several others, or the problem that a person says that it is one of them (`isSaid`). */
export function likeSeveral(
  line: BuyerLine,
  others: readonly Buyer[],
  { isOfCompany, isSaid }: { isOfCompany: boolean; isSaid: boolean },
  known: KnownBuyers,
): BuyerFinding {
  const company = isOfCompany ? ' with the same company_id' : '';
  const which = `${listed(others, known)}${company}`;
  const names = isSaid || line.identifiers[0]?.kind === 'name' ? 'the name exactly as it stands there, or ' : '';
  const message = isSaid
    ? `The line is said to mean a known buyer, and several may be meant: ${which}. Write ${names}the buyer_reference of the one that is meant.`
    : `This may be the same buyer as one of several, ${which}, but nothing says which, so it becomes a new buyer. If it is one of them, write ${names}its buyer_reference.`;
  return { at: 'name', value: line.name, message };
}

/** The problem that a line's identifier differs from that of another buyer by leading zeros alone. */
export function lostZeros(line: BuyerLine, { by, theirs, buyer }: TheirNumber, known: KnownBuyers): BuyerFinding {
  const other = by.kind === 'reference' ? 'that' : shortened(theirs);
  return {
    at: by.kind,
    value: by.written,
    message: `The ${wordsOf(by)} differs only by zeros at its beginning from ${other} of ${told(buyer, known)}. Spreadsheet programs remove such zeros. Write ${shortened(theirs)} as before. If both are right, say --same-buyer ${line.line} or write "yes" in the column same_buyer; if they are two buyers, write "no" there.`,
  };
}

/** The problem that a new buyer's number may be one of a buyer with a name alike, written otherwise. */
export function otherWriting(line: BuyerLine, { by, theirs, buyer }: TheirNumber, known: KnownBuyers): BuyerFinding {
  return {
    at: by.kind,
    value: by.written,
    message: `The ${wordsOf(by)} may be ${shortened(theirs)} of ${told(buyer, known)}, and the names are alike. If it is the same buyer, write the line as it stands there, say --same-buyer ${line.line}, or write "yes" in the column same_buyer. If they are two buyers, write "no" there.`,
  };
}

/** The warning that the line of a known buyer has the company_id of others. */
export function companyOfOthers(
  id: string,
  { buyer, others }: { buyer: Buyer; others: readonly Buyer[] },
  known: KnownBuyers,
): BuyerFinding {
  return {
    at: 'company',
    value: id,
    message: `This company belongs to ${listed(others, known)}, but the line means ${told(buyer, known)}. The limit is requested for this company: if that is wrong, correct the id or leave it out.`,
  };
}

/** A buyer in a message: its name, its reference if it has one, and where its row was last: `"Müller Stahl GmbH" (line 2)`. */
export function told(buyer: Buyer, known: KnownBuyers): string {
  return `${calls(buyer)} (${placeOf(buyer, known)})`;
}

/** Buyers that a message names: enough to recognize which are meant; the rest is summed up. */
const MOST_NAMED = 3;

function listed(buyers: readonly Buyer[], known: KnownBuyers): string {
  const named = buyers.slice(0, MOST_NAMED).map((buyer) => told(buyer, known));
  return buyers.length > MOST_NAMED ? `${named.join(', ')} and others` : named.join(' and ');
}

function calls({ names: [name], reference }: Buyer): string {
  const called = typeof name?.written === 'string' ? quoted(name.written) : 'another name';
  return reference === '' ? called : `${called}, reference ${shortened(reference)}`;
}

function placeOf({ first, stands }: Buyer, { portfolio, importId }: KnownBuyers): string {
  // The row moves from file to file with each import, and a person finds the latest line.
  const { portfolio: of, line } = stands ?? first;
  if (of !== portfolio) return `portfolio ${of}, line ${line}`;
  return stands && stands.importId !== importId ? `line ${line} of an earlier import` : `line ${line}`;
}

/** The warning about lines that a person said mean a known buyer, and that mean the same one without that. */
export function saidInVainWords(lines: readonly number[]): string {
  const [first = 0, ...others] = lines;
  const which =
    others.length === 0 ? `line ${first} means` : `line ${first} and ${counted(others.length, 'other')} mean`;
  return `--same-buyer was not needed: ${which} the same buyer without it, by the file itself or by an earlier import.`;
}

function wordsOf({ kind, written }: Identifier): string {
  return kind === 'name' ? 'name' : `${IDENTIFIER_WORDS[kind]} ${shortened(written)}`;
}

const quoted = (text: string): string => `"${shortened(text)}"`;

/** Letters of a name in a message: a name of 100,000 letters would hide the message. */
const MOST_LETTERS = 60;

const shortened = (text: string): string => cutText(text.replace(/\s+/g, ' ').trim(), MOST_LETTERS);

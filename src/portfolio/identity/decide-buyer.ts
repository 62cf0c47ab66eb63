import { alikesOf, askedAbout, buyersOf, hasName, numberedOf } from './alike-buyers.ts';
import {
  anotherPlace,
  companyOfOthers,
  likeAnother,
  likeSeveral,
  lostZeros,
  otherBuyers,
  otherName,
  otherSpelling,
  otherWriting,
  severalBuyers,
  toldApart,
} from './buyer-words.ts';
import type { Buyer, BuyerFinding, BuyerLine, Decision, Holder, Identifier, KnownBuyers } from './identity.ts';
import { MOST_HOLDERS, spellingOf, squeeze } from './identity.ts';

/**
 * Decides which buyer a line means:
 *
 * 1. The strongest identifier that any buyer has decides. A buyer that differs in a stronger one of the line is another:
 *    many may share a register number or name.
 * 2. If several buyers remain: the one with the line's name. If several have it: the one that such a line meant before.
 * 3. Another name than the buyer's is a problem, unless a person confirms the buyer, or the line corrects the buyer's
 *    only row, of which nothing was sent.
 * 4. So is any weaker identifier that belongs only to other buyers.
 * 5. If no buyer remains, the line makes a new one. A line that may mean a known buyer is a problem instead:
 *    - its reference or a number differs by leading zeros alone from that of a buyer with a name alike;
 *    - its reference differs by leading zeros alone from that of a buyer with the line's register number;
 *    - a number may be that of a buyer with a name alike, written otherwise.
 *    A yes, or a line of an errors file that names that buyer's only row, means that buyer.
 *
 * The same line gets the same decision later: all of its identifiers point to its buyer by then.
 */
export function decideBuyer(line: BuyerLine, known: KnownBuyers): Decision {
  const named = line.same === 'yes' ? namedWithoutYes(line, known) : undefined;
  if (named) return agree(line, named.buyer, named.by, known);
  for (const [place, by] of line.identifiers.entries()) {
    const { holders, candidates } = candidatesFor(line, place, by, known);
    if (candidates.length === 0) continue;
    if (line.same === 'no') {
      // The line has a stronger identifier that no buyer has, and a person says that it means another buyer: so it makes a new one.
      if (place > 0) break;
      const own = candidates.find((buyer) => broughtBy(line, buyer, known));
      if (!own) return { is: 'unclear', problem: toldApart(line, by, candidates, known) };
      return agree(line, own, by, known);
    }
    const chosen = chooseOf(candidates, { line, by, holders });
    if (!chosen) return { is: 'unclear', problem: severalBuyers(line, by, candidates, known) };
    return agree(line, chosen, by, known);
  }
  return bringNew(line, known);
}

/**
 * The buyer that a question or a warning would name if nobody had said yes. The yes means this one, also where another one has the name or a
 * number of the line.
 */
function namedWithoutYes(line: BuyerLine, known: KnownBuyers): { buyer: Buyer; by: Identifier } | undefined {
  const unsaid = { ...line, same: undefined };
  if (line.identifiers.some((by, place) => candidatesFor(unsaid, place, by, known).candidates.length > 0))
    return undefined;
  const asked = askedAbout(unsaid, known);
  if (asked) return asked;
  const { alike } = likelyOf(line, alikesOf(line, known), ofCompanyOf(line, known));
  const [buyer, ...more] = alike;
  if (!buyer || more.length > 0) return undefined;
  return { buyer, by: line.identifiers.find((one) => isHeldBy(buyer, one, known)) ?? nameOf(line) };
}

/** The buyers that the identifier may mean. */
function candidatesFor(line: BuyerLine, place: number, by: Identifier, known: KnownBuyers) {
  const holders = known.holders(by.digest);
  const candidates = buyersOf(holders, known).filter((buyer) => isCandidate(buyer, place, line, known));
  if (candidates.length > 0 || by.kind !== 'name' || line.same === 'no') return { holders, candidates };
  // The digest of a name tells ß from ss, and hyphens apart. Ledgers are full of such digests, so names alike are compared by their texts.
  const alike = known.holders(line.alikeHere);
  const spelling = alike.length === 0 ? '' : spellingOf(line.name);
  const isSpelt = ({ names }: Buyer) =>
    names.some(({ written }) => written !== null && spellingOf(written) === spelling);
  const spelt = buyersOf(alike, known).filter((buyer) => isSpelt(buyer) && isCandidate(buyer, place, line, known));
  return { holders: alike, candidates: spelt };
}

function isCandidate(buyer: Buyer, place: number, line: BuyerLine, known: KnownBuyers): boolean {
  // A name points to every buyer that had it. A buyer whose name was corrected no longer has the old one.
  if (line.identifiers[place]?.kind === 'name' && !hasName(buyer, line)) return false;
  // With `yes` a person says that it is this buyer, although a stronger identifier differs: a number may have changed.
  if (line.same === 'yes') return true;
  return !line.identifiers.slice(0, place).some((stronger) => {
    const isGiven = buyer.kinds.includes(stronger.kind) && !isFormerText(buyer, stronger);
    return isGiven && !isHeldBy(buyer, stronger, known);
  });
}

function isHeldBy({ key: own }: Buyer, { digest }: Identifier, known: KnownBuyers): boolean {
  return known.holders(digest).some(({ key }) => key === own);
}

/** Whether an earlier version read this reference as `4711.0`, as other programs write 4711 in a workbook, or as `="4711"`. */
function isFormerText({ reference }: Buyer, { kind, written }: Identifier): boolean {
  if (kind !== 'reference') return false;
  return reference === `="${written}"` || (reference === `${written}.0` && /^\d+$/.test(written));
}

/** Whether this line was the first with the buyer, or identifies it by the `buyer_reference`. */
function broughtBy(line: BuyerLine, buyer: Buyer, { portfolio }: KnownBuyers): boolean {
  if (line.identifiers[0]?.kind === 'reference') return true;
  return (
    buyer.first.portfolio === portfolio && buyer.first.row === line.rowOf(buyer.key) && buyer.first.line === line.line
  );
}

type Choice = { line: BuyerLine; by: Identifier; holders: readonly Holder[] };

function chooseOf(candidates: Buyer[], { line, by, holders }: Choice): Buyer | undefined {
  // A full list may lack further buyers that have the identifier.
  const isWhole = holders.length < MOST_HOLDERS;
  const [first, ...others] = candidates;
  if (isWhole && others.length === 0) return first;
  const named = candidates.filter((buyer) => hasName(buyer, line));
  if (isWhole && named.length === 1) return named[0];
  const before = named.filter(({ key }) => holders.some((holder) => holder.key === key && holder.alone));
  return before.length === 1 ? before[0] : named.find(({ key }) => key === by.digest);
}

/** The buyer of the strongest identifier is found: checks the rest of the line against it. */
function agree(line: BuyerLine, buyer: Buyer, by: Identifier, known: KnownBuyers): Decision {
  const isMeant = line.same === 'yes';
  const isNamed = hasName(buyer, line);
  const mended = !isNamed && !isMeant && mends(line, buyer, known);
  if (!isNamed && !isMeant && !mended) return { is: 'unclear', problem: otherName(line, by, buyer, known) };
  const behind = line.identifiers.slice(line.identifiers.indexOf(by) + 1);
  for (const identifier of isMeant ? [] : behind) {
    // The names were compared above.
    if (identifier.kind === 'name') continue;
    const holders = known.holders(identifier.digest);
    const isOurs = holders.length === 0 || holders.some(({ key }) => key === buyer.key);
    if (isOurs || holders.length >= MOST_HOLDERS) continue;
    const others = buyersOf(holders, known);
    return { is: 'unclear', problem: otherBuyers(line, { by, buyer }, { by: identifier, others }, known) };
  }
  const places = mended ? [] : (['city', 'street'] as const).filter((what) => differs(line[what], buyer[what]));
  const isSpelt = isMeant || by.kind !== 'name' || isHeldBy(buyer, by, known);
  const warnings = [
    ...(isSpelt ? [] : [otherSpelling(line, by, buyer, known)]),
    ...places.map((what) => anotherPlace(line, { by, what }, buyer, known)),
    ...foreignCompany(line, buyer, known),
  ];
  return { is: 'known', buyer, by, mended, warnings };
}

/** A warning if the company of the line's company_id is known as that of other buyers, and not as this buyer's. */
function foreignCompany(line: BuyerLine, buyer: Buyer, known: KnownBuyers): BuyerFinding[] {
  if (!line.company) return [];
  const holders = known.holders(line.company.digest);
  if (holders.some(({ key }) => key === buyer.key)) return [];
  const others = buyersOf(holders, known);
  return others.length === 0 ? [] : [companyOfOthers(line.company.id, { buyer, others }, known)];
}

function bringNew(line: BuyerLine, known: KnownBuyers): Decision {
  const by = line.identifiers[0] as Identifier;
  const isNew = { is: 'new', key: by.digest, by } as const;
  if (line.same === 'no') return { ...isNew, warnings: [] };
  const ofCompany = ofCompanyOf(line, known);
  const lists = alikesOf(line, known);
  const all = firstOf(lists, ofCompany, () => numberedOf(line, known));
  if (all.alike.length === 0) return { ...isNew, warnings: [] };
  const likely = likelyOf(line, lists, ofCompany);
  if (line.same === 'yes') {
    const { alike, isOfCompany } = likely.alike.length > 0 ? likely : all;
    const [other, ...more] = alike;
    if (other && more.length === 0) return agree(line, other, nameOf(line), known);
    return { is: 'unclear', problem: likeSeveral(line, alike, { isSaid: true, isOfCompany }, known) };
  }
  const asked = askedAbout(line, known);
  if (asked && isNamedBy(line, asked.buyer)) return agree(line, asked.buyer, asked.by, known);
  if (asked) return { is: 'unclear', problem: (asked.isZeros ? lostZeros : otherWriting)(line, asked, known) };
  return { ...isNew, warnings: likenessWarnings(line, likely, known) };
}

/** Buyers that a line may mean, by a name alike or by the same company id (`isOfCompany`). */
type Alikes = { alike: Buyer[]; isOfCompany: boolean };

/** The first list that has buyers; those of a company id come after all names. */
function firstOf(lists: readonly Buyer[][], ofCompany: Buyer[], otherwise: () => Buyer[] = () => []): Alikes {
  const found = lists.find(({ length }) => length > 0);
  return {
    alike: found ?? (ofCompany.length > 0 ? ofCompany : otherwise()),
    isOfCompany: !found && ofCompany.length > 0,
  };
}

/** The known buyers that a new one may be. Branches of one company, and long names that begin alike, have numbers of their own. */
function likelyOf(line: BuyerLine, lists: readonly Buyer[][], ofCompany: Buyer[]): Alikes {
  const mayBe = (buyer: Buyer) => line.numbers.length === 0 || buyer.numbers.length === 0 || hasName(buyer, line);
  return firstOf(
    lists.map((buyers) => buyers.filter(mayBe)),
    ofCompany,
  );
}

/** The warning that a new buyer may be a known one. */
function likenessWarnings(line: BuyerLine, { alike, isOfCompany }: Alikes, known: KnownBuyers): BuyerFinding[] {
  const [other, ...more] = alike;
  if (!other) return [];
  if (more.length > 0) return [likeSeveral(line, alike, { isSaid: false, isOfCompany }, known)];
  const shared = line.identifiers.find((one) => one.kind !== 'name' && isHeldBy(other, one, known));
  const apart = line.identifiers.find((one) => other.kinds.includes(one.kind) && !isHeldBy(other, one, known));
  return [likeAnother(line, other, { isOfCompany, shared, apart }, known)];
}

const ofCompanyOf = ({ company }: BuyerLine, known: KnownBuyers): Buyer[] =>
  buyersOf(known.holders(company?.digest ?? ''), known);

const nameOf = ({ identifiers }: BuyerLine): Identifier => identifiers.at(-1) as Identifier;

/**
 * Whether the line is the buyer's only one, imported again with another name, and nothing of it was sent. The answer is no if another line
 * of the same import has the buyer, since two lines of one file then contradict each other.
 */
function mends(line: BuyerLine, buyer: Buyer, known: KnownBuyers): boolean {
  const { stands } = buyer;
  if (!stands || stands.portfolio !== known.portfolio) return false;
  if (stands.importId === known.importId && stands.line !== line.line) return false;
  if (stands.row !== line.rowOf(buyer.key) && `${stands.portfolio}/${stands.row}` !== line.mends) return false;
  return known.isUnsent(buyer);
}

/** Whether the line of an errors file names the buyer's only row as the one to correct. */
function isNamedBy(line: BuyerLine, { stands }: Buyer): boolean {
  return stands !== null && `${stands.portfolio}/${stands.row}` === line.mends;
}

function differs(one: string, other: string): boolean {
  return one !== '' && other !== '' && one !== other && placeForm(one) !== placeForm(other);
}

/** A city or street as it is compared: streets are written short and long, and punctuation differs. */
function placeForm(text: string): string {
  return squeeze(text)
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/stra(?:ß|ss)e/g, 'str');
}

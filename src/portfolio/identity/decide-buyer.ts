import { type Buyer, type BuyerLine, type Decision, type Holder, type KnownBuyers, MOST_HOLDERS } from './buyer.ts';
import { anotherPlace, likeAnother, otherBuyers, otherName, severalBuyers, toldApart } from './buyer-words.ts';
import { type Identifier, squeeze } from './identity.ts';

/**
 * Says which buyer a line means, in this order:
 *
 * 1. The strongest identifier that anybody has decides. Who has it, but differs in a stronger one that the line gives, is
 *    another buyer: one register number or name may be shared by many that have references of their own.
 * 2. Of several that are left, it is the one with the line's name; else the one whom such a line meant before.
 * 3. A name that is none of that buyer's is a problem, unless a person says that they are the same, or the line mends the
 *    only row that there is of it, nothing of which was sent.
 * 4. So is any other identifier that belongs to others alone.
 * 5. Where nobody is left, the line brings a buyer of its own.
 *
 * A line that was told once is told the same whenever it comes again, whatever other lines have brought meanwhile: all its
 * identifiers point to its buyer by then, and its name is one of that buyer's.
 */
export function decideBuyer(line: BuyerLine, known: KnownBuyers): Decision {
  for (const [place, by] of line.identifiers.entries()) {
    const holders = known.holders(by.digest);
    if (holders.length === 0) continue;
    const candidates = holders
      .map(({ key }) => known.buyer(key))
      .filter((buyer) => isCandidate(buyer, place, line, known));
    if (candidates.length === 0) continue;
    if (line.same === 'no') {
      // Something stronger of its own tells it apart.
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

function isCandidate(buyer: Buyer | undefined, place: number, line: BuyerLine, known: KnownBuyers): buyer is Buyer {
  if (!buyer) return false;
  // A name points to whoever has it; who was given another since, because it was mended, has it no more.
  if (line.identifiers[place]?.kind === 'name' && !hasName(buyer, line)) return false;
  // A person knows of numbers that changed.
  if (line.same === 'yes') return true;
  return !line.identifiers.slice(0, place).some((stronger) => {
    const isGiven = buyer.kinds.includes(stronger.kind);
    return isGiven && !known.holders(stronger.digest).some(({ key }) => key === buyer.key);
  });
}

/** The line that brought the buyer, come again, or any that gives its reference: whoever gives that means this buyer. */
function broughtBy(line: BuyerLine, buyer: Buyer, { portfolio }: KnownBuyers): boolean {
  if (line.identifiers[0]?.kind === 'reference') return true;
  return (
    buyer.first.portfolio === portfolio && buyer.first.row === line.rowOf(buyer.key) && buyer.first.line === line.line
  );
}

type Choice = { line: BuyerLine; by: Identifier; holders: readonly Holder[] };

function chooseOf(candidates: Buyer[], { line, by, holders }: Choice): Buyer | undefined {
  // Others may have it as well, who are not remembered.
  const isWhole = holders.length < MOST_HOLDERS;
  const [first, ...others] = candidates;
  if (isWhole && others.length === 0) return first;
  const named = candidates.filter((buyer) => hasName(buyer, line));
  if (isWhole && named.length === 1) return named[0];
  const before = named.filter(({ key }) => holders.some((holder) => holder.key === key && holder.alone));
  return before.length === 1 ? before[0] : named.find(({ key }) => key === by.digest);
}

/** The buyer is found by its strongest identifier: says whether the rest of the line agrees. */
function agree(line: BuyerLine, buyer: Buyer, by: Identifier, known: KnownBuyers): Decision {
  const isMeant = line.same === 'yes';
  const isNamed = hasName(buyer, line);
  const mended = !isNamed && !isMeant && mends(line, buyer, known);
  if (!isNamed && !isMeant && !mended) return { is: 'unclear', problem: otherName(line, by, buyer, known) };
  const behind = line.identifiers.slice(line.identifiers.indexOf(by) + 1);
  for (const identifier of isMeant ? [] : behind) {
    // Of names, likeness was asked already.
    if (identifier.kind === 'name') continue;
    const holders = known.holders(identifier.digest);
    const isOurs = holders.length === 0 || holders.some(({ key }) => key === buyer.key);
    if (isOurs || holders.length >= MOST_HOLDERS) continue;
    const others = holders.map(({ key }) => known.buyer(key)).filter((other) => other !== undefined);
    return { is: 'unclear', problem: otherBuyers(line, { by, buyer }, { by: identifier, others }, known) };
  }
  const warnings = mended ? [] : (['city', 'street'] as const).filter((what) => differs(line[what], buyer[what]));
  return { is: 'known', buyer, by, mended, warnings: warnings.map((what) => anotherPlace(line, what, buyer, known)) };
}

function bringNew(line: BuyerLine, known: KnownBuyers): Decision {
  const by = line.identifiers[0] as Identifier;
  const [alike, ...more] = known.holders(line.alikeHere);
  const other = alike && known.buyer(alike.key);
  if (other && more.length === 0 && line.same === 'yes') return agree(line, other, nameOf(line), known);
  const warnings = other && line.same !== 'no' ? [likeAnother(line, other, known)] : [];
  return { is: 'new', key: by.digest, by, warnings };
}

function nameOf({ identifiers }: BuyerLine): Identifier {
  return identifiers.at(-1) as Identifier;
}

export function hasName(buyer: Buyer, { alike }: Pick<BuyerLine, 'alike'>): boolean {
  return buyer.names.some((name) => name.alike === alike);
}

/**
 * Whether the line is the only one that ever spoke of the buyer, come again with another name: nobody has heard the old one.
 * Another line of the same import is not: then two lines of one file disagree.
 */
function mends(line: BuyerLine, buyer: Buyer, known: KnownBuyers): boolean {
  const { stands } = buyer;
  if (!stands || stands.portfolio !== known.portfolio) return false;
  if (stands.importId === known.importId && stands.line !== line.line) return false;
  if (stands.row !== line.rowOf(buyer.key) && `${stands.portfolio}/${stands.row}` !== line.mends) return false;
  return known.isUnsent(buyer);
}

function differs(one: string, other: string): boolean {
  return one !== '' && other !== '' && one !== other && placeForm(one) !== placeForm(other);
}

/** Streets are written short and long; punctuation says nothing. */
function placeForm(text: string): string {
  return squeeze(text)
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/stra(?:ß|ss)e/g, 'str');
}

import { hasName, isCrowded } from './alike-buyers.ts';
import { decideBuyer } from './decide-buyer.ts';
import {
  anywhereOf,
  type Buyer,
  type BuyerLine,
  type Decision,
  type Holder,
  type Identifier,
  type IdentifierKind,
  type KnownBuyers,
  MOST_HOLDERS,
  type RowName,
} from './identity.ts';

/** A question to the store: who has this identifier, a name that reads the same, or the company with this id. */
export type BuyerQuestion = { digest: string; kind: IdentifierKind | 'alike'; companyId?: string };

/** The stored buyers of some questions at one moment, which `version` names. The caller may change the maps. */
export type BuyerSnapshot = { version: string; holders: Map<string, Holder[]>; buyers: Map<string, Buyer> };

/** Additions of lines to the stored buyers, made on the snapshot of this `version`. */
type BuyerChanges = {
  version: string;
  holders: Map<string, Holder[]>;
  buyers: Map<string, Buyer>;
  /** Rows whose buyer takes another name. When this is written, nothing may have been sent for the row or the buyer. */
  mends: { buyer: string; row: RowName }[];
  /** Pairs of buyers that may be one: two keys in one text of 32 characters. Approval limits count them together. */
  likes: Set<string>;
  /** The same changes by line, without lines that add nothing. */
  brought: Brought[];
};

/** A line that added something, the key of its buyer, and the digests of identifiers and names that now also point to that buyer. */
export type Brought = { line: BuyerLine; key: string; digests: string[] };

/** The stored buyers of an account, as a buyer book reads and changes them. */
export type BuyerStore = {
  /** Answers the holders and buyers that the questions ask for; a question may occur several times. */
  read(questions: readonly BuyerQuestion[]): Promise<BuyerSnapshot>;
  /** The keys of those buyers for which, and for whose row, nothing was sent. */
  unsent(buyers: readonly { key: string; row: RowName }[]): Promise<Set<string>>;
  /** Writes all changes or none: false if the stored version has changed. */
  write(changes: BuyerChanges): Promise<boolean>;
};

/** Decides which buyer each line means, in file order. */
export type BuyerBook = {
  portfolio: string;
  /** Valid lines add their identifiers to the book. Later lines, even of the same call, are matched with them. */
  tell(lines: readonly BuyerLine[]): Promise<Decision[]>;
};

/**
 * A buyer book over a store. If somebody else has written since the read, everything is read and decided again. So two
 * simultaneous imports cannot make two buyers of one.
 */
export function makeBuyerBook(
  store: BuyerStore,
  { portfolio, importId }: { portfolio: string; importId: string },
): BuyerBook {
  return {
    portfolio,
    async tell(lines) {
      if (lines.length === 0) return [];
      const questions = questionsOf(lines);
      for (;;) {
        const found = await store.read(questions);
        const crowded = lines.filter((line) => isCrowded(line, (digest) => found.holders.get(digest) ?? NOBODY));
        const more = crowded.flatMap((line) => zerosAsked(line));
        const snapshot = more.length > 0 ? await store.read([...questions, ...more]) : found;
        const unsent = await store.unsent(mendable(lines, snapshot, portfolio));
        const known = knownBuyers(snapshot, { unsent, portfolio, importId });
        const changes = noChanges(snapshot.version);
        const decisions = lines.map((line) => {
          const decision = line.known ? knownDecision(line, line.known, known) : decideBuyer(line, known);
          if (line.same === 'yes') decision.isSaidInVain = isSaidInVain(line, decision, known);
          if (line.isSound && decision.is !== 'unclear') bring(line, decision, { snapshot, changes, known });
          return decision;
        });
        if (changes.brought.length + changes.likes.size === 0 || (await store.write(changes))) return decisions;
      }
    },
  };
}

function isSaidInVain(line: BuyerLine, decision: Decision, known: KnownBuyers): boolean {
  const unsaid = decideBuyer({ ...line, same: undefined }, known);
  if (decision.is === 'unclear' || unsaid.is === 'unclear') return false;
  const isOneBuyer =
    decision.is === 'known' ? unsaid.is === 'known' && unsaid.buyer.key === decision.buyer.key : unsaid.is === 'new';
  return isOneBuyer && unsaid.warnings.length === decision.warnings.length;
}

/** The buyer book for a file that is only read: each line means the buyer of its strongest identifier, whatever else matches. */
export const CLOSED_BOOK: BuyerBook = {
  portfolio: '',
  async tell(lines) {
    return lines.map(({ identifiers }) => {
      const by = identifiers[0] as Identifier;
      return { is: 'new', key: by.digest, by, warnings: [] };
    });
  },
};

function questionsOf(lines: readonly BuyerLine[]): BuyerQuestion[] {
  const questions: BuyerQuestion[] = [];
  for (const { identifiers, alike, alikeHere, alikeBare, alikeBegun, alikeUnplaced, company, known } of lines) {
    questions.push(...identifiers);
    const more = [alikeBare, alikeBegun].filter((digest) => digest !== undefined);
    for (const digest of new Set([alikeHere, alikeUnplaced(), anywhereOf(alike), ...more])) {
      questions.push({ digest, kind: 'alike' });
    }
    if (company) questions.push({ digest: company.digest, kind: 'alike', companyId: company.id });
    // A buyer's key is the digest of an identifier. Its kind is unknown here, and the lookup ignores kinds.
    if (known) questions.push({ digest: known, kind: 'name' });
  }
  return questions;
}

/** Asks for buyers whose strongest identifier differs from the line's by leading zeros alone: of many of one name, only some are read. */
function zerosAsked(line: BuyerLine): BuyerQuestion[] {
  const kind = line.identifiers[0]?.kind ?? 'name';
  return line.withZeros().map((digest) => ({ digest, kind }));
}

/** The decision for a line of a results file, which names the buyer. The line's identifiers then point to that buyer. */
function knownDecision(line: BuyerLine, key: string, known: KnownBuyers): Exclude<Decision, { is: 'unclear' }> {
  const by = line.identifiers[0] as Identifier;
  const buyer = known.buyer(key);
  return buyer ? { is: 'known', buyer, by, mended: false, warnings: [] } : { is: 'new', key, by, warnings: [] };
}

/**
 * The buyers, with their rows, that these lines rename if nothing was sent for them: the row is of this portfolio, and the line has another
 * name.
 */
function mendable(lines: readonly BuyerLine[], { holders, buyers }: BuyerSnapshot, portfolio: string) {
  const found = new Map<string, { key: string; row: RowName }>();
  for (const line of lines) {
    for (const { digest } of line.identifiers) {
      for (const { key } of holders.get(digest) ?? []) {
        const buyer = buyers.get(key);
        if (buyer?.stands?.portfolio !== portfolio || hasName(buyer, line)) continue;
        found.set(key, { key, row: { portfolio, row: buyer.stands.row } });
      }
    }
  }
  return [...found.values()];
}

function knownBuyers(
  { holders, buyers }: BuyerSnapshot,
  { unsent, portfolio, importId }: { unsent: Set<string>; portfolio: string; importId: string },
): KnownBuyers {
  return {
    holders: (digest) => holders.get(digest) ?? NOBODY,
    buyer: (key) => buyers.get(key),
    isUnsent: ({ key }) => unsent.has(key),
    portfolio,
    importId,
  };
}

const NOBODY: readonly Holder[] = [];

function noChanges(version: string): BuyerChanges {
  return { version, holders: new Map(), buyers: new Map(), mends: [], likes: new Set(), brought: [] };
}

type Bringing = { snapshot: BuyerSnapshot; changes: BuyerChanges; known: KnownBuyers };

/** Adds the line's identifiers and names to the snapshot and to the changes. */
function bring(
  line: BuyerLine,
  decision: Exclude<Decision, { is: 'unclear' }>,
  { snapshot, changes, known }: Bringing,
) {
  const key = decision.is === 'new' ? decision.key : decision.buyer.key;
  const before = decision.is === 'new' ? undefined : decision.buyer;
  const digests: string[] = [];
  const point = (digest: string, alone: boolean, { isLike = true, most = MOST_HOLDERS } = {}) => {
    const holders = snapshot.holders.get(digest) ?? [];
    const own = holders.find((holder) => holder.key === key);
    if (isLike && holders[0] && holders[0].key !== key) changes.likes.add(key + holders[0].key);
    if (own ? own.alone || !alone : holders.length >= most) return;
    const others = holders.map((holder) => (holder === own ? { key, alone } : holder));
    const changed = own ? others : [...holders, { key, alone }];
    snapshot.holders.set(digest, changed);
    changes.holders.set(digest, changed);
    digests.push(digest);
  };
  for (const [place, { digest }] of line.identifiers.entries()) point(digest, place === 0);
  // In a results file, the buyer's key is the digest of the identifier by which the buyer was first known. It points to the buyer even if
  // this line lacks that identifier.
  if (line.known && !line.identifiers.some(({ digest }) => digest === key)) point(key, false);
  point(line.alikeHere, false);
  // Many branches share the name of their company. The buyer of that very name must find room there.
  if (line.alikeBare !== undefined) point(line.alikeBare, false, { most: MOST_HOLDERS / 2 });
  // Many long names begin alike, and only some are one that was cut off.
  if (line.alikeBegun !== undefined) point(line.alikeBegun, false, { isLike: false });
  point(anywhereOf(line.alike), false);
  // A company id points to its buyer for later lines of the file only: it is not among `changes`, since the ledger finds it by its rows.
  const ofCompany = line.company && snapshot.holders.get(line.company.digest);
  if (line.company && !ofCompany?.some((holder) => holder.key === key)) {
    snapshot.holders.set(line.company.digest, [...(ofCompany ?? []), { key, alone: false }]);
    digests.push(line.company.digest);
  }
  const isMended = decision.is === 'known' && decision.mended;
  const after = before ? grown(before, line, isMended, known) : brought(line, key, known);
  if (after === before && digests.length === 0) return;
  if (isMended && before?.stands) changes.mends.push({ buyer: key, row: before.stands });
  snapshot.buyers.set(key, after);
  if (after !== before) changes.buyers.set(key, after);
  changes.brought.push({ line, key, digests });
}

/** Most names, and most numbers, that are kept of a buyer: more than anybody gives one. Each makes every comparison with the buyer slower. */
const MOST_NAMES = 20;

function brought(line: BuyerLine, key: string, { portfolio, importId }: KnownBuyers): Buyer {
  const first = { portfolio, row: line.rowOf(key), line: line.line };
  return {
    key,
    kinds: line.identifiers.map(({ kind }) => kind),
    names: [{ written: line.name, alike: line.alike }],
    numbers: line.numbers,
    reference: referenceOf(line),
    city: line.city,
    street: line.street,
    first,
    stands: { ...first, importId },
  };
}

/** The buyer with the line's additions; the same object if the line adds nothing. */
function grown(buyer: Buyer, line: BuyerLine, isMended: boolean, known: KnownBuyers): Buyer {
  const kinds = line.identifiers.map(({ kind }) => kind).filter((kind) => !buyer.kinds.includes(kind));
  const name = { written: line.name, alike: line.alike };
  const isNewName = !hasName(buyer, line) && buyer.names.length < MOST_NAMES;
  const stands = standsAfter(buyer, line, known);
  const numbers = [...new Set([...buyer.numbers, ...line.numbers])].slice(0, MOST_NAMES);
  const isNumbered = numbers.length === buyer.numbers.length;
  const isPlaced = buyer.city !== '' || line.city === '';
  const isHoused = buyer.street !== '' || line.street === '';
  const isSame = kinds.length === 0 && !isNewName && isNumbered && stands === buyer.stands && isPlaced && isHoused;
  if (isSame && !isMended) return buyer;
  return {
    ...buyer,
    kinds: [...buyer.kinds, ...kinds],
    names: isMended ? [name] : isNewName ? [...buyer.names, name] : buyer.names,
    numbers,
    reference: buyer.reference || referenceOf(line),
    city: isMended ? line.city : buyer.city || line.city,
    street: isMended ? line.street : buyer.street || line.street,
    stands,
  };
}

/** The row key of a buyer from a file that is only read, in place of a real one: no rows are stored then. */
export const ANY_ROW = '';

/** The only row that asks for the buyer, after this line: with its latest line; null once several rows ask for the buyer. */
function standsAfter({ key, stands }: Buyer, line: BuyerLine, { portfolio, importId }: KnownBuyers): Buyer['stands'] {
  if (!stands) return null;
  // In a file that is only read, the row itself does not matter.
  if (stands.importId === importId && stands.row === ANY_ROW) return stands;
  const row = line.rowOf(key);
  const isMended = `${stands.portfolio}/${stands.row}` === line.mends;
  const isSame = stands.portfolio === portfolio && (stands.row === row || isMended);
  if (!isSame) return null;
  // Within one import, the first line with the row keeps it.
  if (stands.importId === importId && stands.row === row) return stands;
  return { portfolio, row, line: line.line, importId };
}

function referenceOf({ identifiers: [strongest] }: BuyerLine): string {
  return strongest?.kind === 'reference' ? strongest.written : '';
}

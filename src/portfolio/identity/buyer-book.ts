import {
  type Buyer,
  type BuyerLine,
  type Decision,
  type Holder,
  type KnownBuyers,
  MOST_HOLDERS,
  type RowName,
} from './buyer.ts';
import { decideBuyer, hasName } from './decide-buyer.ts';
import type { Identifier, IdentifierKind } from './identity.ts';

/** What is asked of the buyers that are known: all identifiers of some lines, and the names alike. */
export type BuyerQuestion = { digest: string; kind: IdentifierKind | 'alike' };

/** What is known at one moment; `version` names it. The maps are the asker's own to change. */
export type BuyerSnapshot = { version: string; holders: Map<string, Holder[]>; buyers: Map<string, Buyer> };

/** What lines add to what is known. */
type BuyerChanges = {
  version: string;
  holders: Map<string, Holder[]>;
  buyers: Map<string, Buyer>;
  /** Rows whose buyer takes another name: nothing of either may have been sent by the time it is written. */
  mends: { buyer: string; row: RowName }[];
  /** Buyers that may be one: each with who first had what it shares, in one text of 32 characters. Limits count them together. */
  likes: Set<string>;
  /** The same, line by line; a line that adds nothing is not there. */
  brought: Brought[];
};

/** A line, the buyer that it brought or was told to be, and what points to that buyer since. */
export type Brought = { line: BuyerLine; key: string; digests: string[] };

/** Where buyers are kept. */
export type BuyerStore = {
  /** A question may come twice. */
  read(questions: readonly BuyerQuestion[]): Promise<BuyerSnapshot>;
  /** The keys of those buyers of whom, and of whose row, nothing was sent. */
  unsent(buyers: readonly { key: string; row: RowName }[]): Promise<Set<string>>;
  /** Writes all of it or nothing: false when what is known has another version by now. */
  write(changes: BuyerChanges): Promise<boolean>;
};

/** Tells lines their buyers, in the order of the file. */
export type BuyerBook = {
  portfolio: string;
  /** Sound lines bring what they give: later ones, of the same call too, are told by it. */
  tell(lines: readonly BuyerLine[]): Promise<Decision[]>;
};

/**
 * A book of buyers over a store. What was read is decided upon only if nobody else has written meanwhile; else it is read
 * and decided again, so that two imports at the same moment cannot make two buyers of one.
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
        const snapshot = await store.read(questions);
        const unsent = await store.unsent(mendable(lines, snapshot, portfolio));
        const known = knownBuyers(snapshot, { unsent, portfolio, importId });
        const changes = noChanges(snapshot.version);
        const decisions = lines.map((line) => {
          const decision = line.known ? knownDecision(line, line.known, known) : decideBuyer(line, known);
          if (line.isSound && decision.is !== 'unclear') bring(line, decision, { snapshot, changes, known });
          return decision;
        });
        if (changes.brought.length + changes.likes.size === 0 || (await store.write(changes))) return decisions;
      }
    },
  };
}

/** For reading in which nobody asks whom a line means: each is taken for the buyer that its strongest identifier tells. */
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
  for (const { identifiers, alike, alikeHere, known } of lines) {
    questions.push(...identifiers, { digest: alikeHere, kind: 'alike' }, { digest: anywhereOf(alike), kind: 'alike' });
    // A key is the digest of an identifier, whichever of them it was.
    if (known) questions.push({ digest: known, kind: 'name' });
  }
  return questions;
}

/** The buyer is known before the line is looked at; what the line gives points to it. */
function knownDecision(line: BuyerLine, key: string, known: KnownBuyers): Exclude<Decision, { is: 'unclear' }> {
  const by = line.identifiers[0] as Identifier;
  const buyer = known.buyer(key);
  return buyer ? { is: 'known', buyer, by, mended: false, warnings: [] } : { is: 'new', key, by, warnings: [] };
}

/** The buyers that lines might rename, were it that nobody has heard of them. */
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

/** Adds what the line gives to what is known, and to what is to be written. */
function bring(
  line: BuyerLine,
  decision: Exclude<Decision, { is: 'unclear' }>,
  { snapshot, changes, known }: Bringing,
) {
  const key = decision.is === 'new' ? decision.key : decision.buyer.key;
  const before = decision.is === 'new' ? undefined : decision.buyer;
  const digests: string[] = [];
  const point = (digest: string, alone: boolean) => {
    const holders = snapshot.holders.get(digest) ?? [];
    const own = holders.find((holder) => holder.key === key);
    if (holders[0] && holders[0].key !== key) changes.likes.add(key + holders[0].key);
    if (own ? own.alone || !alone : holders.length >= MOST_HOLDERS) return;
    const others = holders.map((holder) => (holder === own ? { key, alone } : holder));
    const changed = own ? others : [...holders, { key, alone }];
    snapshot.holders.set(digest, changed);
    changes.holders.set(digest, changed);
    digests.push(digest);
  };
  for (const [place, { digest }] of line.identifiers.entries()) point(digest, place === 0);
  // What the buyer was first known by, though this line does not give it.
  if (line.known && !line.identifiers.some(({ digest }) => digest === key)) point(key, false);
  point(line.alikeHere, false);
  point(anywhereOf(line.alike), false);
  const isMended = decision.is === 'known' && decision.mended;
  const after = before ? grown(before, line, isMended, known) : brought(line, key, known);
  if (after === before && digests.length === 0) return;
  if (isMended && before?.stands) changes.mends.push({ buyer: key, row: before.stands });
  snapshot.buyers.set(key, after);
  if (after !== before) changes.buyers.set(key, after);
  changes.brought.push({ line, key, digests });
}

/**
 * Names alike of whatever country, in the form of a digest: nobody is told by it, but limits count such buyers together. They stand in few
 * hashes, since a hash of its own for each would cost more than the name.
 */
function anywhereOf(alike: number): string {
  const text = alike.toString(36).padStart(13, '0');
  return `${text.slice(-2)}0${text}`;
}

/** More names than anybody gives a buyer; each costs every look at it. */
const MOST_NAMES = 20;

function brought(line: BuyerLine, key: string, { portfolio, importId }: KnownBuyers): Buyer {
  const first = { portfolio, row: line.rowOf(key), line: line.line };
  return {
    key,
    kinds: line.identifiers.map(({ kind }) => kind),
    names: [{ written: line.name, alike: line.alike }],
    reference: referenceOf(line),
    city: line.city,
    street: line.street,
    first,
    stands: { ...first, importId },
  };
}

/** The buyer with what the line adds; the same object where it adds nothing. */
function grown(buyer: Buyer, line: BuyerLine, isMended: boolean, known: KnownBuyers): Buyer {
  const kinds = line.identifiers.map(({ kind }) => kind).filter((kind) => !buyer.kinds.includes(kind));
  const name = { written: line.name, alike: line.alike };
  const isNewName = !hasName(buyer, line) && buyer.names.length < MOST_NAMES;
  const stands = standsAfter(buyer, line, known);
  const isPlaced = buyer.city !== '' || line.city === '';
  const isHoused = buyer.street !== '' || line.street === '';
  const isSame = kinds.length === 0 && !isNewName && stands === buyer.stands && isPlaced && isHoused;
  if (isSame && !isMended) return buyer;
  return {
    ...buyer,
    kinds: [...buyer.kinds, ...kinds],
    names: isMended ? [name] : isNewName ? [...buyer.names, name] : buyer.names,
    reference: buyer.reference || referenceOf(line),
    city: isMended ? line.city : buyer.city || line.city,
    street: isMended ? line.street : buyer.street || line.street,
    stands,
  };
}

/** The row of a buyer that a file brought which is only read. */
export const ANY_ROW = '';

/** The row that the buyer stands on by now: the same one of the line that has it last, or none where there are several. */
function standsAfter({ key, stands }: Buyer, line: BuyerLine, { portfolio, importId }: KnownBuyers): Buyer['stands'] {
  if (!stands) return null;
  // Of a file that is only read, which of its rows it is makes no difference.
  if (stands.importId === importId && stands.row === ANY_ROW) return stands;
  const row = line.rowOf(key);
  const isMended = `${stands.portfolio}/${stands.row}` === line.mends;
  const isSame = stands.portfolio === portfolio && (stands.row === row || isMended);
  if (!isSame) return null;
  // Of one import, the first line that has the row keeps it.
  if (stands.importId === importId && stands.row === row) return stands;
  return { portfolio, row, line: line.line, importId };
}

function referenceOf({ identifiers: [strongest] }: BuyerLine): string {
  return strongest?.kind === 'reference' ? strongest.written : '';
}

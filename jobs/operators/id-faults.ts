import { CALL_KINDS, type CallKind, KINDS } from '../../src/call-kind.ts';
import type { Calls } from '../../src/ledger/calls/calls.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { KIND_OF } from '../../src/ledger/schema/row.ts';
import { rowIdOf } from '../../src/ledger/schema/schema.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

/** A call that made an id, as {@link callName} names it, and a description of its row. */
type KnownId = { call: string; of: string };

type KnownIds = ReadonlyMap<string, readonly KnownId[]>;

/** Why this id cannot come from the row's step; nothing if it can. */
export function prefixFault(made: string | undefined, { result }: FoundRow): string | undefined {
  if (made === undefined) return undefined;
  const { prefix } = KINDS[KIND_OF[result.step]];
  const cannot = `"${made.replace(/\p{C}/gu, '\uFFFD')}" cannot be the id for line ${result.line}, which is held at the step ${result.step}`;
  if (prefix !== '' && (!made.startsWith(prefix) || made === prefix))
    return `${cannot}: ids of that step begin with ${prefix}.`;
  // With an empty id, the ledger would allow the call to be sent again.
  if (made.trim() === '') return `The id for line ${result.line} is empty.`;
  return /[\s\p{C}]/u.test(made) ? `${cannot}: no id has a space or an invisible sign in it.` : undefined;
}

/** If so many known ids have one length, all ids count as having it. */
const SURE = 3;

/**
 * By how many characters an id may be shorter or longer than all known ids before it looks strange. Applies where the known ids differ in
 * length, or where few are known.
 */
const LENGTH_MAY_DIFFER = 2;

/** Ids that a service counts up: one of them may be longer than all before it. Longer numbers are drawn by lot. */
const COUNTED_UP = /^\D*[1-9]\d{0,8}$/;

/**
 * Why a person should look at this id again: it looks unlike the known ids of its kind. Only a warning, since the service says
 * nothing of the form of ids (docs/service.md).
 */
export function unlikeKnown(made: string, known: readonly string[]): string | undefined {
  const [example] = known;
  if (example === undefined) return undefined;
  const lengths = known.map(({ length }) => length);
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
  const may = least === most && known.length >= SURE ? 0 : LENGTH_MAY_DIFFER;
  const mayGrow = known.every((id) => COUNTED_UP.test(id)) ? LENGTH_MAY_DIFFER : may;
  const unlike = `It looks unlike the other ids, such as ${example}`;
  if (made.length < least - may || made.length > most + mayGrow)
    return `${unlike}: it has ${made.length} characters, and they have ${least === most ? least : `${least} to ${most}`}.`;
  return signsOf(made).isSubsetOf(signsOf(known.join(''))) ? undefined : `${unlike}.`;
}

/** Why a person should look again at the id that they give for a held row's call: see {@link unlikeAnswer} and {@link unlikeKnown}. */
export function strangeId(made: string, { result }: FoundRow, known: readonly string[]): string | undefined {
  return unlikeAnswer(made, result) ?? unlikeKnown(made, known);
}

/** Says that an answer of success, which could not be read as a whole, named another id. An answer to another request may name any. */
function unlikeAnswer(made: string, { step, problem }: FoundRow['result']): string | undefined {
  const said = `${problem?.message ?? ''} ${problem?.body ?? ''}`;
  if (!/\bstatus 2\d\d, but (?!it answers another request)/.test(said)) return undefined;
  const ids = [...said.matchAll(/"id"\s*:\s*"([^"]+)"/g)].flatMap(([, id]) => id ?? []);
  const own = ids.filter((id) => id.startsWith(KINDS[KIND_OF[step]].prefix));
  return own.length === 0 || own.includes(made) ? undefined : `The answer to this call named another id, ${own[0]}.`;
}

/** The number of rows of a portfolio whose ids are read as examples of the service's ids. */
const EXAMPLES = 20;

/** The most portfolios whose rows are read for that. */
const MOST_PORTFOLIOS = 10;

/** Ids that the service gave to some done rows of a portfolio, by kind; if these are few, also to rows of the newest others. */
export async function knownIds(
  portfolio: string,
  { rows, portfolios }: { rows: Pick<Rows, 'inState' | 'read'>; portfolios: Pick<Portfolios, 'names'> },
): Promise<Record<CallKind, readonly string[]>> {
  const ids: Record<CallKind, string[]> = { company: [], document: [], limit: [] };
  const others = (await portfolios.names()).filter((name) => name !== portfolio).reverse();
  for (const name of [portfolio, ...others].slice(0, MOST_PORTFOLIOS)) {
    const found = await rows.inState(name, 'done', { count: EXAMPLES });
    const done = (await rows.read(found.map(({ row }) => row))).flatMap((result) => result ?? []);
    for (const { companyId, documentIds, limitId } of done) {
      ids.company.push(companyId);
      ids.document.push(...documentIds);
      ids.limit.push(limitId);
    }
    for (const kind of CALL_KINDS) ids[kind] = [...new Set(ids[kind])].filter(Boolean);
    if (CALL_KINDS.every((kind) => ids[kind].length >= SURE)) break;
  }
  return ids;
}

/** The kinds of signs in a text: small letters and figures are one kind, capitals one, and each other sign is its own. */
const signsOf = (text: string): Set<string> => new Set(text.replace(/[a-z0-9]+/g, 'a').replace(/[A-Z]+/g, 'A'));

/** The sentence about an id that another call is known to have made, so that none of these calls can have made it; nothing otherwise. */
export function otherCallFault(made: string, calls: readonly string[], known: KnownIds): string | undefined {
  const other = known.get(made)?.find(({ call }) => !calls.includes(call));
  if (!other) return undefined;
  return `"${made}" is already known: it was made for ${other.of}. Look up the right id.`;
}

export function callName({ kind, key }: { kind: string; key: string }): string {
  return `${kind} ${key}`;
}

type KnownDeps = { rows: Pick<Rows, 'read'>; calls: Pick<Calls, 'makersOf'> };

/** How many ids one script looks up, which takes Redis some milliseconds. */
const AT_ONCE = 500;

/** Finds these ids among those that calls made, even if the rows are gone. */
export async function readKnownIds(ids: ReadonlySet<string>, { rows, calls }: KnownDeps): Promise<KnownIds> {
  const known = new Map<string, KnownId[]>();
  const asked = [...ids].flatMap((id) => CALL_KINDS.map((kind) => ({ kind, id })));
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    const page = asked.slice(from, from + AT_ONCE);
    for (const [place, maker] of (await calls.makersOf(page)).entries()) {
      const { kind, id } = page[place] ?? {};
      if (!maker || !kind || id === undefined) continue;
      const call = callName({ kind, key: maker.key });
      known.set(id, [...(known.get(id) ?? []), { call, of: await describe(maker.row, rows) }]);
    }
  }
  return known;
}

/** `line 3 of portfolio "q4" (Acme GmbH)`; for a row that is gone, its name. */
async function describe(name: string, rows: Pick<Rows, 'read'>): Promise<string> {
  const row = rowIdOf(name);
  const [result] = row ? await rows.read([row]) : [];
  if (!row || !result) return name === '' ? 'a row that is not known any more' : `the row ${name}`;
  return `line ${result.line} of portfolio "${row.portfolio}" (${result.request.name})`;
}

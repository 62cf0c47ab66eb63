import type { UnknownPolicy } from '../../src/config.ts';
import type { Document } from '../../src/documents/folder.ts';
import { sha256Of } from '../../src/files/disk.ts';
import { contentDigest } from '../../src/ledger/calls/claim-answers.ts';
import { type BuyerRow, type BuyerRows, bringsBack, NO_BUYER_ROWS } from '../../src/ledger/rows/buyer-rows.ts';
import { SENT_STATES } from '../../src/ledger/rows/buyers.ts';
import type { Foresight, KnownRow } from '../../src/ledger/rows/put-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { askedOf, is, type RowDocument, type RowRequest } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { makeDigestTable, makeKeySet } from '../../src/portfolio/identity/digest.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { makeProblem, type Problem } from '../../src/portfolio/problem.ts';
import { changedProblem, sentRequest } from './changed-line.ts';
import {
  buyerRowsAfter,
  decideLine,
  mayTake,
  otherBuyersLine,
  otherCompanyWarning,
  type Place,
  type RowLine,
  refusedLine,
  replacedRow,
  rowDocument,
  rowRequest,
} from './decide-line.ts';
import { requestsFor } from './known-requests.ts';
import { warningOfOther } from './put-line.ts';
import { type DoubtedRows, doubtedRows, type InvalidLine, sayDoubted } from './unread-corrections.ts';

/** What happens to a company for which it is unknown whether it was made. A call that left with the idempotency `header` is repeated. */
export type OnUnknownCompany = { withoutIt: Exclude<UnknownPolicy, 'repeat'>; header?: string | undefined };

export type ForeseeDeps = {
  portfolio: string;
  foresight: Foresight;
  rows: Pick<Rows, 'read' | 'ofBuyers' | 'wholeOf'>;
  onUnknownCompany: OnUnknownCompany;
  /** Predicts, by line number, what follows for a line from its buyer's other requests. Left out for a file that can be read only once. */
  ofBuyers?: ((lines: readonly RowLine[]) => Promise<Map<number, OfBuyer>>) | undefined;
  /** Finds rows that an import would cancel because an invalid line may correct them. Left out for a file that can be read only once. */
  doubted?: ((lines: readonly Line[]) => Promise<DoubtedRows>) | undefined;
  /** The line's cell that names the row to correct. Left out if the file has no such column. */
  mendedRow?: ((cells: readonly string[]) => string) | undefined;
  /** Rewrites a line's problems so that they name columns as the file's header does. Left out for a file that can be read only once. */
  asWritten?: ((line: Line) => void) | undefined;
};

/**
 * What importing a line with a row would do. `request`: request its limit. `open`: nothing, the request waits already, here or
 * elsewhere: for approval, or until a portfolio is resumed. `before`: nothing, the limit was made before. `sent`: nothing, the request is
 * under way, here or elsewhere. `held`: nothing, the request needs an answer.
 */
type Fate = 'request' | 'open' | 'before' | 'sent' | 'held';

/** A predicted line. `doubted` is of invalid lines, and all else of lines with a row. */
type Foreseen = {
  line: Line;
  fate?: Fate;
  /** Whether the row of this portfolio is held, and not only the same request elsewhere. */
  isHeldHere?: boolean;
  /** Whether a row with the fate `open` waits in this portfolio, and as the line says, so that the import leaves it alone. */
  isLeft?: boolean;
  /** Whether the buyer's company exists. */
  company?: 'made' | 'unknown' | undefined;
  /** Whether the limit would be requested in addition to another one of the buyer. */
  isBesides?: boolean;
  /** Whether the line's row was given up before. */
  isRevived?: boolean;
  /** The row that the line corrects and would replace. */
  givesWay?: BuyerRow | undefined;
  /** The amount for which the line's own row counts in the portfolio's sum before the import. */
  own?: string;
  doubted?: readonly BuyerRow[] | undefined;
};

/**
 * Predicts the result of importing lines, by the same rules as put.lua and the steps. A line that differs from what was sent
 * for it becomes invalid. Changes nothing.
 */
export async function foresee(batch: readonly Line[], deps: ForeseeDeps): Promise<Foreseen[]> {
  const rows = batch.filter((line) => line.kind === 'row');
  const ofBefore = rows.filter(({ row }) => row.formerKey !== undefined);
  if (ofBefore.length > 0) await requestsFor(ofBefore, deps.portfolio, deps.rows);
  const known = await deps.foresight(
    rows.map(({ row }) => ({ row: { portfolio: deps.portfolio, key: row.key }, buyer: row.buyer })),
  );
  const found = new Map(rows.map((line, place) => [line.line, known[place]]));
  const foreseen = await Promise.all(
    batch.map(async (line): Promise<Foreseen> => {
      const its = found.get(line.line);
      if (line.kind !== 'row' || !its) return { line };
      const { limit } = its.request === '' ? {} : (JSON.parse(its.request) as Partial<RowRequest>);
      const own = its.state === 'cancelled' ? '0' : (limit?.requested_limit ?? '0');
      return { ...(await foreseeRow(line, its, deps)), own };
    }),
  );
  const ofBuyers = await deps.ofBuyers?.(foreseen.flatMap(({ line }) => (line.kind === 'row' ? [line] : [])));
  // As in an import, what valid lines replace is decided first.
  const decided = foreseen.map((one) => withBuyer(one, ofBuyers?.get(one.line.line)));
  const doubted = await deps.doubted?.(decided.map(({ line }) => line));
  const ends = decided.map((one) => (one.line.kind === 'invalid' ? withDoubted(one.line, doubted) : one));
  for (const { line } of ends) deps.asWritten?.(line);
  return ends;
}

function withDoubted(line: InvalidLine, found: DoubtedRows | undefined): Foreseen {
  const doubted = found?.get(line);
  if (doubted) sayDoubted(line, doubted);
  return { line, doubted };
}

/**
 * What importing a line would do: refuse it, or bring back its own row that was given up, replace a row that it corrects, or warn of another
 * request of its buyer.
 */
type OfBuyer =
  | { problem: Problem; isUnclear?: boolean }
  | {
      isRevived: boolean;
      givesWay: BuyerRow | undefined;
      besides: Besides | undefined;
      /** The warning where the limit was requested for another company. */
      ofOther: Problem | undefined;
    };

/**
 * A warning about another request of a line's buyer. `isBesides`: both requests would be made. `elsewhere`: the line's own request waits in
 * another portfolio, or is under way there.
 */
type Besides = { warning: Problem; isBesides: boolean; elsewhere: 'no' | 'waits' | 'under way' };

/**
 * Makes two functions. `ofBuyers` predicts for lines whether an import would refuse or warn because of their buyer's other requests. It decides
 * line by line as an import does, and changes nothing. `doubted` finds rows that invalid lines of the same batch may correct, after it. Lines
 * must come in file order. If the file was imported before, `place` needs the number of that import.
 */
export function makeReplacingForesight(given: {
  rows: Pick<Rows, 'ofBuyers' | 'wholeOf' | 'ofRow' | 'read'>;
  place: Place;
  /** Whether a portfolio is paused, so that its rows are not sent. */
  isPaused: (portfolio: string) => Promise<boolean>;
}) {
  const { rows, place, isPaused } = given;
  /** Buyers for whom an earlier line of this file would replace a row, usually few. Each has its rows as they would be after that line. */
  const corrected = new Map<string, BuyerRows>();
  /** The rows that those lines would replace, with what they would be then: another line may name one of them, of whatever buyer. */
  const gaveWay = new Map<string, BuyerRow>();
  /** The rows of earlier imports that lines of this file ask for. An import makes them rows of this file. */
  const kept = makeKeySet();
  const ofRow = async (row: RowId) => gaveWay.get(rowName(row)) ?? rows.ofRow(row);
  /** The first line of each buyer in this file. A prediction puts no rows, so an earlier line must be found here instead of in the ledger. */
  const firstLines = makeDigestTable();
  const ofBuyers = async (lines: readonly RowLine[]): Promise<Map<number, OfBuyer>> => {
    const known = await requestsFor(lines, place.portfolio, rows);
    const results = new Map<number, OfBuyer>();
    for (const line of lines) {
      const { buyer } = line.row;
      const found = corrected.get(buyer) ?? known.get(buyer) ?? NO_BUYER_ROWS;
      const ofBuyer = { ...found, rows: found.rows.map((one) => gaveWay.get(rowName(one.row)) ?? one) };
      const decision = await decideLine(place, line, { ofBuyer, rows: { ofRow } });
      if ('problem' in decision) {
        results.set(line.line, decision);
        continue;
      }
      const own = ofBuyer.rows.find((one) => rowName(one.row) === rowName(decision.asking.row));
      const isRevived = bringsBack(decision.asking.row, ofBuyer.rows);
      if (own) kept.add(line.row.key);
      const earlier = firstLines.addOnce(buyer, line.line);
      const other = await warningOfOther(line, { ...decision, rows: ofBuyer.rows }, place);
      const besides = other
        ? {
            ...other,
            isBesides: other.isBesides || earlier !== undefined,
            elsewhere: await standingOf(other.elsewhere, isPaused),
          }
        : warningOfEarlier(line, earlier);
      results.set(line.line, {
        isRevived,
        givesWay: decision.replaces,
        besides,
        ofOther: otherCompanyWarning(line, ofBuyer),
      });
      if (decision.replaces) {
        const put = { is: own ? 'renewed' : 'added', ...decision } as const;
        corrected.set(buyer, buyerRowsAfter(ofBuyer, decision.asking, put));
        gaveWay.set(rowName(decision.replaces.row), replacedRow(decision.replaces, decision.asking));
      }
    }
    return results;
  };
  const asCorrected = {
    ofBuyers: async (buyers: readonly string[]) => new Map([...(await rows.ofBuyers(buyers)), ...corrected]),
    wholeOf: rows.wholeOf,
    ofRow,
    read: rows.read,
  };
  const doubted = async (lines: readonly Line[]): Promise<DoubtedRows> => {
    const found = await doubtedRows(lines, place, asCorrected);
    for (const [line, its] of found) {
      const left = its.filter(({ row }) => !kept.has(row.key));
      if (left.length > 0) found.set(line, left);
      else found.delete(line);
    }
    return found;
  };
  return { ofBuyers, doubted };
}

/** Warns of an earlier line of this file for the same buyer, which has another amount or reference. */
export function warningOfEarlier({ line, row }: RowLine, earlier: number | undefined): Besides | undefined {
  if (earlier === undefined) return undefined;
  const message = `The same buyer has another request, line ${earlier} of this file: this limit is requested as well.`;
  const warning = makeProblem(line, 'requested_limit', row.limit.requested_limit, message);
  return { warning, isBesides: true, elsewhere: 'no' };
}

/**
 * Whether a request that rows of other portfolios have, too, is under way there. If all those rows wait or are paused, this portfolio's
 * line may be sent before them.
 */
async function standingOf(
  rows: readonly BuyerRow[],
  isPaused: (portfolio: string) => Promise<boolean>,
): Promise<Besides['elsewhere']> {
  for (const { row, state } of rows) if (is('isOpen', state) && !(await isPaused(row.portfolio))) return 'under way';
  return rows.length > 0 ? 'waits' : 'no';
}

function withBuyer(one: Foreseen, found: OfBuyer | undefined): Foreseen {
  const { line, fate } = one;
  if (!found || line.kind !== 'row') return one;
  if ('problem' in found) return { line: refusedLine(line, found) };
  const { besides, ofOther, ...follows } = found;
  const asks = fate === 'request' || fate === 'open';
  // A line whose request is made or held requests nothing, so it gets no warning of other requests.
  const warning = asks ? besides?.warning : ofOther;
  const told = warning ? { ...line, warnings: [...line.warnings, warning] } : line;
  const known = { ...one, ...follows, line: told, isRevived: follows.isRevived && fate === 'request' };
  if (!besides || !asks) return known;
  const { isBesides, elsewhere } = besides;
  // A line whose own row waits already keeps that result, even if another portfolio has the request under way.
  if (elsewhere === 'under way' && fate === 'request') return { ...known, fate: 'sent', isRevived: false };
  return { ...known, fate: elsewhere === 'no' ? fate : 'open', isBesides };
}

async function foreseeRow(line: RowLine, known: KnownRow, deps: ForeseeDeps): Promise<Foreseen> {
  const { row } = line;
  const { onUnknownCompany } = deps;
  const isSent = SENT_STATES.has(known.limit);
  const before = known.request === '' ? undefined : (JSON.parse(known.request) as RowRequest);
  const request = rowRequest(row, row.documents.map(undigested));
  const isOther = isSent && known.asked !== '' && known.asked !== contentDigest(askedOf(request));
  const isFixed = before !== undefined && (isSent || known.state === 'done');
  if (isOther || (isFixed && !(await isSame(request, before, row.documents)))) {
    const at = { line: line.line, portfolio: deps.portfolio };
    const sent = await sentRequest({ portfolio: deps.portfolio, key: row.key }, row.buyer, deps.rows);
    return { line: refusedLine(line, { problem: changedProblem(at, request, sent) }) };
  }
  if (before && before.buyer !== row.buyer) {
    const own = { row: { portfolio: deps.portfolio, key: row.key }, cell: deps.mendedRow?.(line.cells) ?? '' };
    if (!mayTake(request, before, own)) return { line: otherBuyersLine(line, before) };
  }
  const company = known.company === 'made' || known.company === 'unknown' ? known.company : undefined;
  if (known.limit === 'made' || known.state === 'done') return { line, fate: 'before', company };
  const isRepeated = known.companyHeader !== '' && known.companyHeader === onUnknownCompany.header;
  const isHolding = onUnknownCompany.withoutIt === 'hold' && !isRepeated;
  const stops = row.companyId === undefined && known.company === 'unknown' && isHolding;
  const isHeld = known.state === 'held' && before !== undefined && (await isSame(request, before, row.documents));
  const isHeldHere = known.state === 'held';
  if (known.limit === 'unknown' || stops || isHeld) return { line, fate: 'held', isHeldHere, company };
  if (isSent) return { line, fate: isHeldHere ? 'held' : 'sent', isHeldHere, company };
  const isOpen = known.state !== '' && known.state !== 'refused' && known.state !== 'cancelled';
  const isLeft = isOpen && before !== undefined && (await isSame(request, before, row.documents));
  const told = known.isDeclined ? [makeProblem(line.line, null, null, DECLINED)] : [];
  const asked = { ...line, warnings: [...line.warnings, ...told] };
  return { line: asked, fate: isOpen ? 'open' : 'request', isLeft, company };
}

const DECLINED =
  'A person declined this request before: the row waits until another person approves it, whatever its sum.';

/** A document without its digest, since computing that means reading the file. */
const undigested = (document: Document): RowDocument => rowDocument(document, '');

async function isSame(asked: RowRequest, before: RowRequest, documents: readonly Document[]): Promise<boolean> {
  const textOf = (request: RowRequest) =>
    JSON.stringify({ ...request, documents: request.documents.map((one) => ({ ...one, sha256: '' })) });
  if (textOf(asked) !== textOf(before)) return false;
  for (const [place, { sha256 }] of before.documents.entries()) {
    if ((await sha256Of(documents[place]?.path ?? '')) !== sha256) return false;
  }
  return true;
}

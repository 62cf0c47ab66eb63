import { makeExactSum } from '../../src/exact-sum.ts';
import { countedSum } from '../../src/ledger/rows/buyer-rows.ts';
import { is } from '../../src/ledger/schema/row.ts';
import { isErrorsHeader } from '../../src/portfolio/columns/result-columns.ts';
import { makeDigestTable, makeKeySet } from '../../src/portfolio/identity/digest.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { type DryRun, type LargeRequest, makeForecaster } from '../../src/portfolio/preview.ts';
import type { Supplier } from '../../src/portfolio/supplier.ts';
import { type ForeseeDeps, foresee, warningOfEarlier } from '../import/foresee.ts';
import { foreseeLacking, type LackedRows } from '../import/lacking-rows.ts';

/** Adds up what importing a file would request, batch by batch. */
export function makeDryRun(given: {
  foresees: ForeseeDeps | null;
  ratePerS: number | undefined;
  supplier?: Supplier | undefined;
  /** Called with the lines that lead to a request. */
  onWanted?: (lines: readonly Line[]) => void;
}) {
  const { foresees, ratePerS, supplier, onWanted = () => {} } = given;
  const forecaster = makeForecaster();
  const there = makeKeySet();
  const before = { limits: 0, companies: 0, held: 0, needAnswer: 0 };
  let [heldElsewhere, left] = [0, 0];
  let [open, revived, created, besides, alike, replaced, replacedOpen, doubtedOpen] = [0, 0, 0, 0, 0, 0, 0, 0];
  const [besidesSum, rowsSum, countedRows] = [makeExactSum(), makeExactSum(), makeExactSum()];
  const doubtedKeys = new Set<string>();
  /** The requests that lines of the file have, whether they are valid or not. */
  const requests = makeKeySet();
  let lacking: Pick<DryRun, 'lacking' | 'lackingSent' | 'lackingNames'> = {};
  let lackingOpen = 0;
  let isCut = false;
  /** The rows whose part of the portfolio's sum is counted: a row may be doubted first, and replaced by a line further down. */
  const counted = makeKeySet();
  const ours = supplier && 'key' in supplier ? supplier.key : undefined;
  let isMade: Promise<boolean> | undefined;
  const firstLines = makeDigestTable();
  /** Without a ledger the file alone tells of another request of a line's buyer. */
  const withEarlier = (line: Line): Line => {
    const found =
      line.kind === 'row' ? warningOfEarlier(line, firstLines.addOnce(line.row.buyer, line.line)) : undefined;
    if (line.kind !== 'row' || !found) return line;
    besides += 1;
    besidesSum.add(line.row.limit.requested_limit);
    return { ...line, warnings: [...line.warnings, found.warning] };
  };
  return {
    /** Answers the lines as an import would take them: a line that differs from what was sent is invalid. */
    async add(batch: readonly Line[]): Promise<Line[]> {
      if (!foresees) {
        const lines = batch.map(withEarlier);
        onWanted(lines);
        alike += countAlike(lines);
        created += forecaster.add(lines, ours).companies.length;
        return lines;
      }
      const foreseen = await foresee(batch, foresees);
      const wanted = foreseen.filter(({ fate }) => fate === 'request' || fate === 'open');
      const made = new Set<string>();
      isMade ??= isCompanyMade(ours, foresees);
      if (ours !== undefined && (await isMade)) made.add(ours);
      for (const {
        line,
        fate,
        isHeldHere,
        isLeft,
        company,
        isBesides,
        isRevived,
        givesWay,
        own = '0',
        doubted = [],
      } of foreseen) {
        const key = line.kind === 'row' ? line.row.key : line.key;
        if (key !== '') requests.add(key);
        if (line.kind === 'invalid' && line.isCut) isCut = true;
        if (line.kind === 'row') rowsSum.add(line.row.limit.requested_limit);
        if (line.kind === 'row' && counted.add(line.row.key)) countedRows.add(own);
        for (const one of givesWay ? [givesWay, ...doubted] : doubted)
          if (counted.add(one.row.key)) countedRows.add(countedSum([one]));
        if (fate === 'before') before.limits += 1;
        if (fate === 'held' || fate === 'sent') before.held += 1;
        if (fate === 'held') before.needAnswer += 1;
        if (fate === 'held' && !isHeldHere) heldElsewhere += 1;
        if (fate === 'open') open += 1;
        if (isLeft) left += 1;
        if (isRevived) revived += 1;
        if (givesWay) replaced += 1;
        if (givesWay && is('isOpen', givesWay.state)) replacedOpen += 1;
        for (const one of doubted.filter(({ row }) => !doubtedKeys.has(row.key))) {
          if (is('isOpen', one.state)) doubtedOpen += 1;
          doubtedKeys.add(one.row.key);
        }
        if (line.kind === 'row' && isBesides) {
          besides += 1;
          besidesSum.add(line.row.limit.requested_limit);
        }
        if (line.kind !== 'row' || company !== 'made') continue;
        made.add(line.row.buyer);
        if (there.add(line.row.buyer)) before.companies += 1;
      }
      const lines = wanted.map(({ line }) => line);
      onWanted(lines);
      alike += countAlike(lines);
      const { companies } = forecaster.add(lines, ours);
      created += companies.filter((buyer) => !made.has(buyer)).length;
      return foreseen.map(({ line }) => line);
    },
    /** How many of the limits wait in this portfolio already, as the file says, so that the import leaves them alone. */
    left: (): number => left,
    /** How many open rows are not sent because lines of the file replace them, or may correct them but cannot be used. */
    withdrawnOpen: (): number => replacedOpen + doubtedOpen,
    /**
     * Counts the rows of earlier imports that the file lacks, once all its lines were added; none for an errors file, one without a row, or
     * one that can be read only once: what its rows replace is not known.
     */
    async countLacking({ header, rows: own }: { header: readonly string[]; rows: number }, rows: LackedRows) {
      if (!foresees?.ofBuyers || own === 0 || isErrorsHeader(header)) return;
      // A row that a line corrects, or may correct, is replaced or cancelled: the file does not lack it.
      const has = (key: string) => requests.has(key) || counted.has(key);
      ({ lackingOpen, ...lacking } = await foreseeLacking(foresees.portfolio, has, { rows }));
    },
    /** How many open rows are not sent because the file lacks them, if it replaces what was imported before. */
    lackingOpen: (): number => (isCut ? 0 : lackingOpen),
    result(): DryRun {
      const forecast = forecaster.forecast();
      const heldIn = before.needAnswer > 0 && heldElsewhere === 0 ? foresees?.portfolio : undefined;
      const calls = forecast.limits + created + forecast.documents;
      return {
        ...forecast,
        companies: created,
        existing: forecast.companies - created,
        open,
        revived,
        replaced,
        doubted: doubtedKeys.size,
        ...lacking,
        ...(isCut && { isCut }),
        besides: { limits: besides, requested: besidesSum.total() },
        alike,
        // What the rows of a file that can be read only once replace is not known.
        ...(foresees && !foresees.ofBuyers
          ? {}
          : { sums: { rows: foresees ? rowsSum.total() : forecast.requested, counted: countedRows.total() } }),
        before: foresees ? { ...before, ...(heldIn === undefined ? {} : { heldIn }) } : null,
        durationS: ratePerS === undefined ? null : Math.ceil(calls / ratePerS),
      };
    },
  };
}

function countAlike(lines: readonly Line[]): number {
  return lines.filter((line) => line.kind === 'row' && line.isAlike).length;
}

async function isCompanyMade(buyer: string | undefined, { foresight, portfolio }: ForeseeDeps): Promise<boolean> {
  if (buyer === undefined) return false;
  const [known] = await foresight([{ row: { portfolio, key: '' }, buyer }]);
  return known?.company === 'made';
}

/** How many of the largest requests are shown: as many as a person reads before saying yes. */
const SHOWN = 5;

/** Keeps the largest requests; of equal ones, the first in the file. */
export function makeLargest() {
  let largest: LargeRequest[] = [];
  return {
    add(lines: readonly Line[]): void {
      const found = lines.flatMap((line) =>
        line.kind === 'row'
          ? [{ line: line.line, name: line.row.name, requested: line.row.limit.requested_limit }]
          : [],
      );
      largest = [...largest, ...found].sort(byAmount).slice(0, SHOWN);
    },
    result: (): readonly LargeRequest[] => largest,
  };
}

/** Orders requests by amount, the largest first. Amounts have no more digits than a float holds exactly, so floats compare correctly. */
const byAmount = (a: LargeRequest, b: LargeRequest): number => Number(b.requested) - Number(a.requested);

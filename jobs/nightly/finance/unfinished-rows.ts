import type { CauseMeaning, RowCause } from '../../../src/ledger/counts/cause.ts';
import type { FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import type { BuyerRow } from '../../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import { is, type RowResult, type Step } from '../../../src/ledger/schema/row.ts';
import { readFound } from '../../rows/walk-rows.ts';
import { ageWords, quoted, type RowCheck, rowItem, rowOption, type WalkedRow } from '../walk-ledger.ts';

/** Rows read together. */
const PAGE = 200;

/**
 * Finds rows of the day's files that nobody has requested and that need a person: they wait for approval, or their portfolio is
 * paused. Left out if another portfolio's row sent the request. Also finds rows of any day that wait for approval of a retry or
 * an answer, because no other check names those.
 */
export function makeWaitingRows(given: {
  factsOf: FactsOf;
  rows: Pick<Rows, 'ofBuyers'>;
  sink: FoundSink;
  sinceMs: number;
}): RowCheck {
  const { factsOf, rows, sink, sinceMs } = given;
  let page: WalkedRow[] = [];

  async function flush(): Promise<void> {
    const waiting = page;
    page = [];
    const known = await rows.ofBuyers([...new Set(waiting.map(({ result }) => result.request.buyer))]);
    for (const walked of waiting) {
      const { row, result } = walked;
      const same = known.get(result.request.buyer)?.rows.filter((one) => one.row.key === row.key) ?? [];
      // A row is left out if its request was made or is under way, or if another row with the request was sent or refused. A row that waits
      // for approval of a retry was refused itself, so it is reported.
      if (!result.awaits && same.some(({ state, limit }) => limit !== 'free' || wasSent(state))) continue;
      const name = quoted(row.portfolio);
      const isAwaiting = result.state === 'awaiting';
      const says = isAwaiting ? awaitsWords(result.awaits) : 'its portfolio is paused';
      const command = isAwaiting ? approveCommand(walked) : `resume ${name}`;
      await sink.found(rowItem('not requested', walked, says, { sinceMs: result.updatedMs, command }));
    }
  }

  async function look(walked: WalkedRow): Promise<void> {
    const { state, importId, awaits } = walked.result;
    const { importedMs, isPaused } = await factsOf(walked.row.portfolio);
    if (state === 'queued' && !isPaused) return;
    if (!awaits && (importedMs.get(importId) ?? 0) < sinceMs) return;
    page.push(walked);
    if (page.length >= PAGE) await flush();
  }

  return {
    row(walked) {
      const { state } = walked.result;
      return state === 'queued' || state === 'awaiting' ? look(walked) : undefined;
    },
    endPortfolio: flush,
  };
}

/**
 * Finds held and refused rows, by cause and age. A request that several portfolios have is reported once: held, with the row that was held
 * first; refused, with the row that was refused last. A refused row whose request another portfolio sent is no loss, and is left out.
 */
export function makeFailedRows(given: {
  factsOf: FactsOf;
  rows: Pick<Rows, 'ofBuyers' | 'read'>;
  sink: FoundSink;
  atMs: number;
}): RowCheck {
  const { factsOf, rows, sink, atMs } = given;
  let page: WalkedRow[] = [];

  async function flush(): Promise<void> {
    const failed = page;
    page = [];
    const known = await rows.ofBuyers([...new Set(failed.map(({ result }) => result.request.buyer))]);
    for (const walked of failed) {
      const { row, result } = walked;
      const same = (known.get(result.request.buyer)?.rows ?? []).filter(
        (one) => one.row.key === row.key && one.row.portfolio !== row.portfolio,
      );
      if (result.state === 'refused' && same.some(({ limit }) => limit !== 'free')) continue;
      const shared = await sharing(walked, same, rows);
      if (shared.some((other) => isToldBefore(other, walked))) continue;
      const item = failedRow(walked, await factsOf(row.portfolio), atMs);
      const portfolios = shared.map((other) => other.row.portfolio).sort();
      await sink.found({
        ...item,
        ...(portfolios.length > 0 && { detail: `the same request is also in portfolio ${portfolios.join(', ')}` }),
      });
    }
  }

  return {
    row(walked) {
      const { state } = walked.result;
      if (state !== 'held' && state !== 'refused') return undefined;
      page.push(walked);
      // Returns no promise for most rows, to save time.
      return page.length >= PAGE ? flush() : undefined;
    },
    endPortfolio: flush,
  };
}

/** The rows of other portfolios with the same request that failed in the same way, at the same step. */
async function sharing(
  { result: { state, step } }: WalkedRow,
  same: readonly BuyerRow[],
  rows: Pick<Rows, 'read'>,
): Promise<WalkedRow[]> {
  const others = same.filter((one) => one.state === state).map(({ row }) => row);
  if (others.length === 0) return [];
  return (await readFound(others, rows)).filter(({ result }) => result.state === state && result.step === step);
}

/** Whether another row is reported in place of this one: the one held first, or the one refused last. */
function isToldBefore(other: WalkedRow, walked: WalkedRow): boolean {
  const apartMs = other.result.updatedMs - walked.result.updatedMs;
  if (apartMs === 0) return other.row.portfolio < walked.row.portfolio;
  return walked.result.state === 'held' ? apartMs < 0 : apartMs > 0;
}

/** The finding for a held or refused row. */
export function failedRow(walked: WalkedRow, { causes, lastImport }: PortfolioFacts, atMs: number): FoundItem {
  const { portfolio } = walked.row;
  const { state, step, cause: id = '', updatedMs: sinceMs } = walked.result;
  const cause = causes.get(id);
  const words = `${reasonOf(cause, step)}, ${ageWords(atMs - sinceMs)}`;
  const says = cause && cause.words !== '' ? `${words}: ${cause.words}` : words;
  const name = quoted(portfolio);
  if (state === 'held') {
    // The advice is --made and not --resend: for a person who knows nothing of the row, --made is safer.
    return rowItem('held', walked, says, {
      sinceMs,
      command: `resolve ${name} ${rowOption(walked, lastImport)} --made ID`,
    });
  }
  const chosen = cause ? `--cause ${id}` : rowOption(walked, lastImport);
  return rowItem('refused', walked, says, { sinceMs, command: `retry ${name} ${chosen}` });
}

/** Reads a portfolio's facts for its first row. Rows come portfolio by portfolio, so only one portfolio's facts are cached. */
export function makePortfolioFacts(portfolios: Pick<Portfolios, 'read' | 'causes' | 'allImports'>): FactsOf {
  let last: { portfolio: string; facts: Promise<PortfolioFacts> } | undefined;
  return (portfolio) => {
    if (last?.portfolio !== portfolio) last = { portfolio, facts: readFacts(portfolio, portfolios) };
    return last.facts;
  };
}

/** Facts about a portfolio that findings of its rows need. */
type PortfolioFacts = {
  /** The number of the last import; '' if unknown. */
  lastImport: string;
  causes: ReadonlyMap<string, RowCause>;
  /** When each import last began, in ms, by its number. */
  importedMs: ReadonlyMap<string, number>;
  isPaused: boolean;
};

type FactsOf = (portfolio: string) => Promise<PortfolioFacts>;

function awaitsWords(awaits: RowResult['awaits']): string {
  const what = awaits?.answer ? ' of what was said of its call' : awaits ? ' to be sent again' : '';
  return `it waits for another person's approval${what}`;
}

/** The command by which another person approves what a row waits for. Several approvals of a portfolio may wait, so it names the row's. */
export function approveCommand({ row, result: { approval } }: WalkedRow): string {
  return `approve ${quoted(row.portfolio)} --as USER --approval ${approval}`;
}

/** Whether a row in this state was usually sent to the service. */
const wasSent = (state: string): boolean => is('isStep', state) || is('isFailed', state) || is('isGranted', state);

/**
 * Why rows fail, as the beginning of a finding's sentence, by the meaning of the service's answer; `at` is the step in words. A report tells
 * findings of two nights apart by their sentences: other words would make each of them new once.
 */
const REASONS: Readonly<Record<CauseMeaning, (at: string) => string>> = {
  refused: (at) => `refused at ${at}`,
  unknown: (at) => `outcome unknown at ${at}`,
  'put off': (at) => `put off too often at ${at}`,
  other: (at) => `made before for another buyer or amount, at ${at}`,
  ours: (at) => `fault of Limitline at ${at}`,
};

const STEP_WORDS: Readonly<Record<Step, string>> = {
  company: 'the company',
  documents: 'the documents',
  limit: 'the limit',
};

function reasonOf(cause: RowCause | undefined, step: Step): string {
  if (!cause) return `at ${STEP_WORDS[step]}`;
  const reason = REASONS[cause.meaning](STEP_WORDS[cause.step]);
  return cause.status === null ? reason : `${reason} with status ${cause.status}`;
}

async function readFacts(
  portfolio: string,
  portfolios: Pick<Portfolios, 'read' | 'causes' | 'allImports'>,
): Promise<PortfolioFacts> {
  const state = await portfolios.read(portfolio);
  const [causes, imports] = await Promise.all([portfolios.causes(portfolio), portfolios.allImports(portfolio)]);
  return {
    lastImport: state.file === undefined ? '' : String(state.file.number),
    causes: new Map(causes.map((cause) => [cause.id, cause])),
    importedMs: new Map(imports.map(({ number, lastMs }) => [String(number), lastMs])),
    isPaused: state.paused !== undefined,
  };
}

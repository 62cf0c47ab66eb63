import type { Audit } from '../../src/audit/audit.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { FailingPortfolio } from '../../src/ledger/counts/glances.ts';
import { causeWords, type RetryRule, type RuleForm, readRule, ruleFor } from '../../src/ledger/nightly/retry-rule.ts';
import type { KnownRule, RetryRules } from '../../src/ledger/nightly/retry-rules.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { archivedOf } from '../../src/ledger/schema/archives.ts';
import { ONE_NIGHT_MS } from '../../src/ledger/schema/row.ts';
import { type AskDeps, asDecided, askFirst, type ResendRequest } from '../operators/ask-first.ts';
import { pagesOfFilter } from '../plans/carry-out.ts';
import { type FeedDeps, feed } from '../rows/feed.ts';
import type { FoundRow } from '../rows/walk-rows.ts';
import type { Night, NightResult } from './run-task.ts';

export type RetryDeps = FeedDeps &
  AskDeps & {
    retryRules: RetryRules;
    failing: (most: number) => Promise<FailingPortfolio[]>;
    audit: Pick<Audit, 'note'>;
  };

/** The rows of one portfolio to send again tonight. */
type Meant = {
  portfolio: string;
  causes: readonly { cause: string; rule: RetryRule }[];
  /** How often the portfolio was cancelled. A row of a lower generation was cancelled with it. */
  generation: number;
  /** When the last rule that names this portfolio was made; 0 where all rules are for any portfolio. */
  namedMs: number;
  /** When the portfolio was restored from its archive; 0 if never. */
  restoredMs: number;
};

/**
 * The rows that a run does not send: counts of rows that used up their nights, by rule; the number of rows of paused portfolios; and the
 * names of restored portfolios.
 */
type Left = { usedUp: Map<string, number>; paused: number; restored: Set<string> };

/**
 * Sends refused rows again that match operators' rules: once a night, and so many nights at most. Rows pass the usual check
 * (ask-first.ts): where another person must approve, they wait as if the rule's author had asked. The run leaves alone held, declined,
 * cancelled and replaced rows, paused portfolios, and restored portfolios without a later rule that names them. The script that moves a row
 * also counts it, so a run that continues after a crash sends nothing twice and reports the rows from before and after the crash.
 *
 * @throws the signal's reason, between two pages of rows
 */
export async function retryByRules(night: Night, deps: RetryDeps): Promise<NightResult> {
  const rules = (await deps.retryRules.known()).map(({ rule }) => rule);
  const left: Left = { usedUp: new Map(), paused: 0, restored: new Set() };
  const failing = rules.length === 0 ? [] : await deps.failing(Number.POSITIVE_INFINITY);
  for (const { name, refused } of failing) {
    night.signal.throwIfAborted();
    if (refused === 0) continue;
    const causes = await meantCauses(name, rules, deps);
    if (causes.length === 0) continue;
    if ((await deps.portfolios.read(name)).paused !== undefined) {
      left.paused += 1;
      continue;
    }
    const generation = await deps.retryRules.generation(name);
    const namedMs = Math.max(0, ...rules.flatMap(({ portfolio, madeMs }) => (portfolio === name ? madeMs : [])));
    const restoredMs = await deps.retryRules.restoredMs(name);
    const meant = { portfolio: name, causes, generation, namedMs, restoredMs };
    for (const [rule, rows] of (await sendMeant(meant, left, night, deps).catch(unlessArchived)) ?? []) {
      left.usedUp.set(rule, (left.usedUp.get(rule) ?? 0) + rows);
    }
  }
  await endAsking(deps);
  if (rules.length === 0) return { is: 'well', words: 'No rule says that rejected rows are sent again at night.' };
  await feed(deps);
  for (const { id } of rules)
    await deps.retryRules.noteUsedUp(id, { atMs: night.atMs, usedUp: left.usedUp.get(id) ?? 0 });
  return { is: 'well', words: wordsOf(await deps.retryRules.known(), night, left) };
}

type RuleDeps = {
  retryRules: Pick<RetryRules, 'add'>;
  portfolios: Pick<Portfolios, 'causes' | 'read' | 'mustBeHere'>;
  failing: (most: number) => Promise<FailingPortfolio[]>;
};

/**
 * Adds a retry rule. Its cause or portfolio must exist: a misspelt one would match nothing, night after night.
 *
 * @throws LimitlineError `USAGE` for an invalid rule or an archived portfolio, `NOT_FOUND` for an unknown cause or portfolio
 */
export async function addRule(form: RuleForm, by: string, deps: RuleDeps): Promise<RetryRule> {
  const rule = readRule(form);
  const { cause, portfolio } = rule;
  if (portfolio !== undefined) await deps.portfolios.mustBeHere(portfolio);
  if (portfolio !== undefined && (await deps.portfolios.read(portfolio)).startedMs === undefined) {
    throw new LimitlineError('NOT_FOUND', `There is no portfolio "${portfolio}": see limitline portfolios.`);
  }
  const known = cause === undefined ? undefined : await knownOf(cause, portfolio, deps);
  return deps.retryRules.add({ ...rule, by, ...(known === undefined ? {} : { known }) });
}

async function meantCauses(
  portfolio: string,
  rules: readonly RetryRule[],
  { portfolios }: Pick<RetryDeps, 'portfolios'>,
): Promise<Meant['causes']> {
  const causes = await portfolios.causes(portfolio);
  return causes.flatMap((cause) => {
    const rule = ruleFor(rules, portfolio, cause);
    return rule ? [{ cause: cause.id, rule }] : [];
  });
}

/** Answers nothing for the error that a portfolio is just being archived; throws any other error. */
function unlessArchived(error: unknown): undefined {
  if (archivedOf(error) === undefined) throw error;
}

/** Sends the rows of one portfolio in one request, so that their sum decides about an approval. */
async function sendMeant(meant: Meant, left: Left, night: Night, deps: RetryDeps): Promise<Left['usedUp']> {
  const { portfolio, causes } = meant;
  const usedUp: Left['usedUp'] = new Map();
  // askFirst may read the pages twice, so each pass counts anew. The last pass reads all of them.
  const requested = () => {
    usedUp.clear();
    return requestedRows(meant, { ...left, usedUp }, night, deps);
  };
  let sent = 0;
  const by = causes[0]?.rule.by ?? night.by;
  const onAsked = (id: string) => deps.retryRules.noteAsks(portfolio, id);
  const asking = { portfolio, kind: 'retry', by, approval: await leftOpen(portfolio, deps), onAsked } as const;
  const asked = await askFirst(asking, requested, deps);
  if (asked) await deps.retryRules.noteAsks(portfolio);
  else for await (const page of asDecided(requested(), deps)) sent += await sendPage(page, deps);
  const waiting = asked?.rows ?? 0;
  if (sent + waiting > 0) {
    const facts = { night: night.id, rules: [...new Set(causes.map(({ rule }) => rule.id))], sent, waiting };
    await deps.audit.note({ by: night.by, what: 'rows retried by rules', from: night.from, about: portfolio, facts });
  }
  return usedUp;
}

/** The open approval of an earlier run that died. Nobody can answer it before all rows are under it. */
async function leftOpen(portfolio: string, { retryRules, approvals }: RetryDeps): Promise<string | undefined> {
  const left = (await retryRules.asks()).find((one) => one.portfolio === portfolio);
  return left && (await approvals.read(left.id))?.standing === 'open' ? left.id : undefined;
}

/** Completes the approvals of runs that died. No rule adds rows to them any more, so people can answer them. */
async function endAsking({ retryRules, approvals }: RetryDeps): Promise<void> {
  for (const left of await retryRules.asks()) {
    if ((await approvals.read(left.id))?.standing === 'open') {
      await approvals.close(left, { always: true, above: undefined }, [], 'left').catch(unlessArchived);
    }
    await retryRules.noteAsks(left.portfolio);
  }
}

async function* requestedRows(
  { portfolio, causes, generation, namedMs, restoredMs }: Meant,
  { usedUp, restored }: Left,
  { atMs, signal }: Night,
  { rows, approvals }: RetryDeps,
): AsyncGenerator<readonly ResendRequest[]> {
  for (const { cause, rule } of causes) {
    for await (const page of pagesOfFilter(rows, portfolio, { states: ['refused'], cause })) {
      signal.throwIfAborted();
      const declined = await approvals.declined(page.map(({ row }) => row));
      const isOpen = ({ replaced, generation: own = 0 }: FoundRow['result']) => !replaced && own >= generation;
      const meant = page.filter(({ row, result }) => !declined.has(row) && isOpen(result));
      const free = meant.filter(({ result }) => Math.max(result.updatedMs, namedMs) > restoredMs);
      if (free.length < meant.length) restored.add(portfolio);
      const used = free.filter(
        ({ result }) => (result.atNight?.nights ?? 0) >= rule.nights && !isOfNight(result, atMs),
      );
      if (used.length > 0) usedUp.set(rule.id, (usedUp.get(rule.id) ?? 0) + used.length);
      yield free.flatMap((found) => resendOf(found, rule, atMs, namedMs));
    }
  }
}

/** Whether the row was sent again in this night already. */
function isOfNight({ atNight }: FoundRow['result'], atMs: number): boolean {
  return atNight !== undefined && Math.abs(atMs - atNight.lastMs) < ONE_NIGHT_MS;
}

function resendOf(found: FoundRow, { id, nights, by }: RetryRule, atMs: number, namedMs: number): ResendRequest[] {
  const before = found.result.atNight?.nights ?? 0;
  if (before >= nights || isOfNight(found.result, atMs)) return [];
  return [{ found, rule: { by, night: { rule: id, nightMs: atMs, night: before + 1, of: nights, namedMs } } }];
}

async function sendPage(page: readonly ResendRequest[], { rows, queues }: RetryDeps): Promise<number> {
  // The ended jobs go first: BullMQ ignores a new job with a known id.
  await queues.forget(page.map(({ found }) => found.row));
  const went = await Promise.all(
    page.map(({ found, rule }) => rows.requeue(found.row, 'refused', true, { by: rule?.by, night: rule?.night })),
  );
  return went.filter(Boolean).length;
}

/** The result of a night, including the parts of processes that died. */
function wordsOf(known: readonly KnownRule[], night: Night, { paused, restored }: Left): string {
  const tonight = known.flatMap(({ last }) => (last?.atMs === night.atMs ? [last] : []));
  const sum = (of: 'sent' | 'waiting' | 'usedUp') => tonight.reduce((total, one) => total + one[of], 0);
  const [sent, waiting, usedUp] = [sum('sent'), sum('waiting'), sum('usedUp')];
  const rowsWords = (rows: number, one: string, many: string) => `${counted(rows, 'row')} ${rows === 1 ? one : many}`;
  const words = [
    sent > 0 ? `${rowsWords(sent, 'goes', 'go')} again.` : '',
    waiting > 0 ? `${rowsWords(waiting, 'waits', 'wait')} for another person's approval to go again.` : '',
    usedUp > 0
      ? `${rowsWords(usedUp, 'was sent on all nights of its rule, and stays', 'were sent on all nights of their rule, and stay')} rejected.`
      : '',
    paused > 0
      ? `${counted(paused, 'portfolio')} with rows to send ${paused === 1 ? 'is' : 'are'} paused, so these rows were not sent.`
      : '',
    restored.size > 0
      ? `${counted(restored.size, 'portfolio')} with rows to send ${restored.size === 1 ? 'was' : 'were'} restored, so these rows were not sent. To send them, make a rule that names the portfolio.`
      : '',
  ].filter(Boolean);
  return words.join(' ') || 'By the rules, no rejected row is due to be sent again.';
}

async function knownOf(id: string, portfolio: string | undefined, { portfolios, failing }: RuleDeps): Promise<string> {
  const names =
    portfolio === undefined ? (await failing(Number.POSITIVE_INFINITY)).map(({ name }) => name) : [portfolio];
  for (const name of names) {
    const cause = (await portfolios.causes(name)).find((one) => one.id === id);
    if (cause?.meaning === 'unknown') {
      const message = `Rows of cause ${id} are held: a person must say what became of each (resolve).`;
      throw new LimitlineError('USAGE', message);
    }
    if (cause) return causeWords(cause);
  }
  const words = `No row is refused for cause ${id} now. limitline report NAME --causes lists the causes with their ids.`;
  throw new LimitlineError('NOT_FOUND', words);
}

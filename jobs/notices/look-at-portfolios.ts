import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import { type Glance, makeGlances } from '../../src/ledger/counts/glances.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import type { NoticeState, Outbox } from '../../src/notices/notice.ts';
import { type PortfolioChange, type PortfolioNews, portfolioChanges, subjectsOf } from './portfolio-changes.ts';
import { approvalNotice, portfolioNotice } from './portfolio-notices.ts';

export type PortfolioLookDeps = {
  ledger: RedisConnection;
  keys: Keys;
  portfolios: Pick<Portfolios, 'read' | 'causes'>;
  approvals: Pick<Approvals, 'read' | 'waitingIds'>;
  outbox: Outbox;
};

/** Portfolios read at a time for notices. Most passes read none. */
const READ_AT_ONCE = 10;

/** Approvals compared in one command. */
const COMPARED_AT_ONCE = 500;

/**
 * Finds changes of all portfolios, and sends notices. Reads no rows: without news, a portfolio costs four commands of a script.
 * Answers the number of notices.
 *
 * @param rules.sinceMs when the first pass was; undefined in that pass, which only stores states
 * @param rules.isMending the service seems to be back: finished portfolios are reported after that
 */
export async function lookAtPortfolios(
  deps: PortfolioLookDeps,
  rules: Parameters<typeof portfolioChanges>[2] & { isMending: boolean; signal: AbortSignal },
): Promise<number> {
  let arose = 0;
  for await (const glances of makeGlances({ connection: deps.ledger, keys: deps.keys })()) {
    if (rules.signal.aborted) return arose;
    const changes = await changesOf(glances, deps, rules);
    arose += await deps.outbox.tell(changes.filter(({ change }) => !change.tells).map(({ change }) => stateOf(change)));
    const news = changes.filter(({ change }) => change.tells);
    for (let from = 0; from < news.length && !rules.signal.aborted; from += READ_AT_ONCE) {
      const states = await Promise.all(
        news.slice(from, from + READ_AT_ONCE).map(({ name, change }) => withNotice(name, change, deps, rules.nowMs)),
      );
      arose += await deps.outbox.tell(states.flat());
    }
  }
  return arose;
}

type NamedChange = { name: string; change: PortfolioChange };

async function changesOf(
  glances: readonly Glance[],
  { ledger, keys }: PortfolioLookDeps,
  rules: Parameters<typeof lookAtPortfolios>[1],
): Promise<NamedChange[]> {
  if (glances.length === 0) return [];
  const subjects = glances.flatMap(({ name }) => Object.values(subjectsOf(name)));
  const known = await ledger.hmget(keys.noticeStates, ...subjects);
  return glances.flatMap((glance, place) => {
    const [settled, paused, failures] = known.slice(3 * place, 3 * place + 3).map((state) => state ?? undefined);
    const changes = portfolioChanges(glance, { settled, paused, failures }, rules);
    const told = changes.filter(({ tells }) => !rules.isMending || tells?.is !== 'settled');
    return told.map((change) => ({ name: glance.name, change }));
  });
}

function stateOf({ subject, was, state }: PortfolioChange): NoticeState {
  return { subject, was, state };
}

/** Adds the notice, with the current state. Leaves out a portfolio that went on meanwhile: the next pass reports it. */
async function withNotice(
  name: string,
  { tells, ...change }: PortfolioChange,
  { portfolios }: PortfolioLookDeps,
  nowMs: number,
): Promise<NoticeState[]> {
  const news = tells as PortfolioNews;
  const [state, causes] = await Promise.all([portfolios.read(name), portfolios.causes(name)]);
  if (news.is === 'settled' && state.finishedMs !== news.atMs) return [];
  return [{ ...change, notice: portfolioNotice(news, { state, causes, nowMs }) }];
}

/** Sends notices of approvals that are new. Answers the number of notices. */
export async function lookAtApprovals(
  { ledger, keys, approvals, outbox }: PortfolioLookDeps,
  { sinceMs }: { sinceMs: number | undefined },
): Promise<number> {
  const waiting = await approvals.waitingIds();
  let arose = 0;
  for (let from = 0; from < waiting.length; from += COMPARED_AT_ONCE) {
    const subjects = waiting.slice(from, from + COMPARED_AT_ONCE).map(({ id }) => ({ id, subject: `approval ${id}` }));
    const known = await ledger.hmget(keys.noticeStates, ...subjects.map(({ subject }) => subject));
    for (const { id, subject } of subjects.filter((_subject, place) => known[place] === null)) {
      const approval = await approvals.read(id);
      if (approval?.standing !== 'waiting') continue;
      const notice = sinceMs === undefined ? {} : { notice: approvalNotice(approval) };
      arose += await outbox.tell([{ subject, was: '', state: 'awaiting', ...notice }]);
    }
  }
  return arose;
}

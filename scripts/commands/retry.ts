import { type Command, Option } from 'commander';
import { explainEmptyRetry, type Retry } from '../../jobs/operators/explain-rows.ts';
import { retryNamed, rowToRetry } from '../../jobs/operators/retry-row.ts';
import { type Acted, isEmpty } from '../../jobs/plans/act-on-rows.ts';
import { currencyOfPortfolio } from '../../jobs/rows/import-names.ts';
import { findOtherRequests, nameOtherRequests } from '../../jobs/rows/other-requests.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import { type NamedOtherRequests, type OtherRequests, otherRequestsWords } from '../../src/ledger/plans/plan.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { askedWords } from '../approval/approval-words.ts';
import { auditCommand, waitsFact } from '../audit/audit-command.ts';
import {
  actOnChosen,
  actOnShown,
  cameWords,
  causeOfFilter,
  choosingText,
  chosenFilter,
  heldWords,
  plannedOf,
  planWords,
  type RowChoice,
  withChoiceOptions,
} from '../choice/row-choice.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { lineNumber } from '../options/durations.ts';
import { asksFirst } from '../options/resolve-options.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { UNCHANGED } from '../resolve/resolve-rows.ts';
import { askYesOrNo, goingOn, NEVER, type Terminal } from '../terminal/terminal.ts';

type How = { dryRun: boolean; yes: boolean };
type RetryOptions = RowChoice & Partial<Omit<Retry, 'portfolio'>> & Partial<How>;

export function register(program: Command, terminal: Terminal): void {
  withChoiceOptions(
    program
      .command('retry')
      .argument('<name>', 'the portfolio')
      .addOption(
        new Option('--state <state>', 'rows in this state (default: refused)').choices(['refused', 'cancelled']),
      )
      .option('--line <n>', 'only the row of this line', lineNumber)
      .option('--row <id>', 'only the row with this id (column "row" of the results)')
      .option('--error <text>', 'only rows whose problem contains this text', choosingText),
  )
    .option('--dry-run', 'say what that would send, and do nothing')
    .option('--yes', 'do not ask first where the buyer of a row has another request')
    .action(async (name: string, { cause, where, dryRun = false, yes = false, ...others }: RetryOptions) => {
      const how = { dryRun, yes };
      const retry: Retry = { portfolio: name, state: 'refused', cause, ...others };
      const chosen = chosenFilter({ cause, where });
      if (where) refuseOthers(others);
      if (retry.line !== undefined || retry.row !== undefined) return retryOne(retry, how, terminal);
      // A cause alone also chooses held rows, which are named as staying so.
      const ofState = cause === undefined || others.state ? { states: [retry.state] } : {};
      const ofText = retry.error === undefined ? {} : { problem: retry.error };
      await retryAll(retry, where ?? { ...chosen, ...ofState, ...ofText }, chosen !== undefined, how, terminal);
    });
}

function refuseOthers(others: Partial<Retry>): void {
  const [other] = Object.keys(others);
  if (other !== undefined) throw new LimitlineError('USAGE', `Choose rows by --where or by --${other}, not by both.`);
}

/** Retries the rows of a filter, as a plan that is executed at once, or after a yes. */
async function retryAll(retry: Retry, filter: RowFilter, isChosen: boolean, how: How, terminal: Terminal) {
  const { portfolio: name, error } = retry;
  const { dryRun } = how;
  await onPortfolio(name, async (context) => {
    const cause = await causeOfFilter(name, filter, context);
    const { plan } = await actOnChosen({ portfolio: name, action: 'retry', filter }, { dryRun: true }, context);
    const others = await namesOf(plan.others, context);
    if (!dryRun && others && !(await mayGoOn(name, others, how, terminal))) return {};
    const facts = ({ state: ended, waits: asked }: Acted) => ({
      planned: plan.rows,
      retried: asked ? 0 : ended?.done,
      changed: ended?.came,
      ...waitsFact(asked),
    });
    const act = () => actOnShown(plan, context);
    const acted: Acted =
      dryRun || isEmpty(plan)
        ? { plan, state: undefined }
        : await (asksFirst(how) ? auditCommand(context, act, { facts }) : act());
    const { done = 0, came = 0 } = acted.state ?? {};
    const { goes, workers } = await goingOn(done, name, context);
    const waits = acted.waits;
    const isNone = isEmpty(plan) || (!dryRun && !waits && done + came === 0);
    const why = !isChosen && isNone ? await explainEmptyRetry(retry, context) : '';
    const planned = why || planWords(plan, others);
    // A text that matches no row is a mistake; having no refused rows is not.
    const stays = heldWords(name, cause, plan.rows);
    if (isNone && error !== undefined) throw new LimitlineError('NOT_FOUND', `${planned} ${stays}`.trimEnd());
    const words = waits
      ? askedWords(name, waits, plan.currency)
      : dryRun || isNone
        ? planned
        : `Portfolio ${name}: ${goes}`;
    terminal.print([words, stays, cameWords(came)].filter(Boolean).join('\n'), {
      portfolio: name,
      ...(dryRun
        ? { dryRun, ...plannedOf(plan) }
        : { retried: waits ? 0 : done, workers, ...(isChosen || came > 0 ? { changed: came } : {}) }),
      ...(waits ? { waits } : {}),
      ...(others ? { otherRequests: others } : {}),
      ...(cause ? { cause: cause.id } : {}),
      ...(why ? { why } : {}),
    });
    return { planned: plan.rows, retried: waits ? 0 : done, changed: came, waits };
  });
}

async function retryOne(retry: Retry, how: How, terminal: Terminal) {
  const { portfolio: name, line, row } = retry;
  if (line !== undefined && row !== undefined) {
    throw new LimitlineError('USAGE', 'Name the row by --line N or by --row ID, not by both.');
  }
  await onPortfolio(name, async (context) => {
    const found = await rowToRetry(retry, context);
    if (how.dryRun) {
      // No row: none has this state, problem or cause.
      const filter = { rows: [found?.row.key ?? ''], states: [retry.state] };
      const { plan } = await actOnChosen({ portfolio: name, action: 'retry', filter }, how, context);
      if (!found || isEmpty(plan)) throw new LimitlineError('NOT_FOUND', await explainEmptyRetry(retry, context));
      const others = await namesOf(plan.others, context);
      terminal.print(planWords(plan, others), {
        portfolio: name,
        dryRun: true,
        ...plannedOf(plan),
        ...(others ? { otherRequests: others } : {}),
      });
      return;
    }
    const isFree = found?.result.state === retry.state;
    const others = isFree ? await namesOf(await findOtherRequests([[found]], {}, context.rows), context) : undefined;
    if (others && !(await mayGoOn(name, others, how, terminal))) return;
    const act = () => retryNamed(retry, commandLineActor(), context);
    const facts = (came: Awaited<ReturnType<typeof act>>) => ({
      retried: came?.is === 'again' ? 1 : 0,
      ...waitsFact(came?.is === 'waits' ? came.asked : undefined),
    });
    const retried = await (asksFirst(how) ? auditCommand(context, act, { facts }) : act());
    const { goes, workers } = await goingOn(1, name, context);
    const told = others ? { otherRequests: others } : {};
    if (retried?.is === 'waits') {
      const { asked } = retried;
      const words = askedWords(name, asked, await currencyOfPortfolio(name, context));
      terminal.print(words, { portfolio: name, retried: 0, waits: asked, workers, ...told });
      return { retried: 0, waits: asked };
    }
    if (retried?.is !== 'again') throw new LimitlineError('NOT_FOUND', await explainEmptyRetry(retry, context));
    terminal.print(`Portfolio ${name}: ${goes}`, { portfolio: name, retried: 1, workers, ...told });
    return { retried: 1 };
  });
}

/** Says that a second limit would be requested, and asks on a terminal. After a no, it says that nothing was changed. */
async function mayGoOn(portfolio: string, others: NamedOtherRequests, how: How, terminal: Terminal): Promise<boolean> {
  terminal.say(`limitline: ${otherRequestsWords(others).map(visible).join('\n')}`);
  if (!asksFirst(how) || (await askYesOrNo('Send them again all the same? [y/N] ', NEVER))) return true;
  terminal.print(UNCHANGED, { portfolio, retried: 0, otherRequests: others });
  process.exitCode = PROBLEMS_STATUS;
  return false;
}

async function namesOf(others: OtherRequests | undefined, context: Context): Promise<NamedOtherRequests | undefined> {
  return others && nameOtherRequests(others, context);
}

import { type Command, Option } from 'commander';
import { explainEmptyRetry, type Retry } from '../../jobs/operators/explain-rows.ts';
import { retryNamed } from '../../jobs/operators/retry-row.ts';
import { isEmpty } from '../../jobs/plans/act-on-rows.ts';
import { commandLineActor } from '../../src/actor.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import { askedWords } from '../approval/approval-words.ts';
import {
  actOnChosen,
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
import { lineNumber } from '../options/numbers.ts';
import { goingOn } from '../terminal/ask.ts';
import type { Terminal } from '../terminal/terminal.ts';

type RetryOptions = RowChoice & Partial<Omit<Retry, 'portfolio'>> & { dryRun?: boolean | undefined };

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
    .option('--dry-run', 'say what that would send, and do nothing; not with --line or --row')
    .action(async (name: string, { cause, where, dryRun = false, ...others }: RetryOptions) => {
      const retry: Retry = { portfolio: name, state: 'refused', ...others };
      const chosen = chosenFilter({ cause, where });
      if (chosen) refuseOthers(others, where === undefined ? '--cause' : '--where');
      else if (retry.line !== undefined || retry.row !== undefined) return retryOne(retry, dryRun, terminal);
      await retryAll(retry, chosen, dryRun, terminal);
    });
}

function refuseOthers(others: Partial<Retry>, option: string): void {
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new LimitlineError('USAGE', `Choose rows by ${option} or by --${other}, not by both.`);
  }
}

/** Retries the rows of a filter, or all rows of a state, as a plan that is executed at once. */
async function retryAll(retry: Retry, chosen: RowFilter | undefined, dryRun: boolean, terminal: Terminal) {
  const { portfolio: name, state, error } = retry;
  const filter = chosen ?? { states: [state], ...(error === undefined ? {} : { problem: error }) };
  await onPortfolio(name, async (context) => {
    const cause = await causeOfFilter(name, filter, context);
    const acted = await actOnChosen({ portfolio: name, action: 'retry', filter }, { dryRun }, context);
    const { done = 0, came = 0 } = acted.state ?? {};
    const { goes, workers } = await goingOn(done, name, context);
    const waits = acted.waits;
    const isNone = isEmpty(acted.plan) || (!dryRun && !waits && done + came === 0);
    const why = !chosen && isNone ? await explainEmptyRetry(retry, context) : '';
    // A text that matches no row is a mistake; having no refused rows is not.
    if (why !== '' && error !== undefined) throw new LimitlineError('NOT_FOUND', why);
    const planned = why || planWords(acted.plan);
    const words = waits ? askedWords(name, waits) : dryRun || isNone ? planned : `Portfolio ${name}: ${goes}`;
    terminal.print([words, heldWords(name, cause, acted.plan.rows), cameWords(came)].filter(Boolean).join('\n'), {
      portfolio: name,
      ...(dryRun
        ? { dryRun, ...plannedOf(acted.plan) }
        : { retried: waits ? 0 : done, workers, ...(chosen || came > 0 ? { changed: came } : {}) }),
      ...(waits ? { waits } : {}),
      ...(cause ? { cause: cause.id } : {}),
      ...(why ? { why } : {}),
    });
    return { planned: acted.plan.rows, retried: done, changed: came };
  });
}

async function retryOne(retry: Retry, dryRun: boolean, terminal: Terminal) {
  const { portfolio: name, line, row } = retry;
  if (line !== undefined && row !== undefined) {
    throw new LimitlineError('USAGE', 'Name the row by --line N or by --row ID, not by both.');
  }
  if (dryRun) throw new LimitlineError('USAGE', '--dry-run is for many rows: leave --line and --row out.');
  await onPortfolio(name, async (context) => {
    const retried = await retryNamed(retry, commandLineActor(), context);
    const { goes, workers } = await goingOn(1, name, context);
    if (retried?.is === 'waits') {
      return terminal.print(askedWords(name, retried.asked), {
        portfolio: name,
        retried: 0,
        waits: retried.asked,
        workers,
      });
    }
    if (retried?.is !== 'again') throw new LimitlineError('NOT_FOUND', await explainEmptyRetry(retry, context));
    terminal.print(`Portfolio ${name}: ${goes}`, { portfolio: name, retried: 1, workers });
  });
}

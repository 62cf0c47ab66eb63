import { type Command, Option } from 'commander';
import { explainEmptyRetry } from '../../jobs/operators/explain-rows.ts';
import { retryRows } from '../../jobs/operators/retry-rows.ts';
import { LimitlineError } from '../../src/errors.ts';
import { countLiving } from '../../src/ledger/presence.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import { askedWords } from '../approval/asked-words.ts';
import { actOnChosen, causeOf } from '../choice/act-on-chosen.ts';
import { cameWords, heldWords, plannedOf, planWords } from '../choice/chosen-words.ts';
import { chosenFilter, filterText, type RowChoice } from '../choice/row-choice.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { lineNumber } from '../options/numbers.ts';
import { goingOn } from '../terminal/going-on.ts';
import type { Terminal } from '../terminal/terminal.ts';

type RetryOptions = RowChoice & {
  state?: 'refused' | 'cancelled';
  line?: number;
  row?: string;
  error?: string;
  dryRun?: boolean | undefined;
};

/** `limitline retry NAME`: sends refused rows again, from the step that refused them. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('retry')
    .argument('<name>', 'the portfolio')
    .description('send refused rows again, from the step that refused them')
    .addOption(new Option('--state <state>', 'rows in this state (default: refused)').choices(['refused', 'cancelled']))
    .option('--line <n>', 'only the row of this line', lineNumber)
    .option('--row <id>', 'only the row with this id (column "row" of the results)')
    .option('--error <text>', 'only rows whose problem contains this text')
    .option('--cause <id>', 'only rows that were refused for this cause (report --causes)')
    .option('--where <filter>', "only rows that this filter means, as the console's address has it", filterText)
    .option('--dry-run', 'with --cause or --where: say what that would send, and do nothing')
    .action(async (name: string, options: RetryOptions) => {
      const { cause, where, dryRun, ...others } = options;
      const filter = chosenFilter({ cause, where });
      if (filter) {
        refuseOthers(others, where === undefined ? '--cause' : '--where');
        return retryChosen(name, filter, { dryRun }, terminal);
      }
      if (dryRun) throw new LimitlineError('USAGE', '--dry-run is for rows that --cause or --where chooses.');
      await retryAll(name, others, terminal);
    });
}

function refuseOthers(others: Omit<RetryOptions, 'cause' | 'where' | 'dryRun'>, option: string): void {
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new LimitlineError('USAGE', `Choose rows by ${option} or by --${other}, not by both.`);
  }
}

async function retryChosen(name: string, filter: RowFilter, { dryRun = false }: RetryOptions, terminal: Terminal) {
  await onPortfolio(name, async (context) => {
    const cause = await causeOf(name, filter, context);
    const acted = await actOnChosen({ portfolio: name, action: 'retry', filter }, { dryRun }, context);
    const workers = await countLiving({ connection: context.ledger, keys: context.keys });
    const { done = 0, came = 0 } = acted.state ?? {};
    const waits = acted.waits;
    const words = waits
      ? askedWords(name, waits)
      : dryRun || acted.plan.rows === 0
        ? planWords(acted.plan)
        : `Portfolio ${name}: ${goingOn(done, workers)}`;
    terminal.print([words, heldWords(name, cause, acted.plan.rows), cameWords(came)].filter(Boolean).join('\n'), {
      portfolio: name,
      ...(dryRun ? { dryRun, ...plannedOf(acted.plan) } : { retried: waits ? 0 : done, changed: came, workers }),
      ...(waits ? { waits } : {}),
      ...(cause ? { cause: cause.id } : {}),
    });
    return { planned: acted.plan.rows, retried: done, changed: came };
  });
}

async function retryAll(name: string, { state = 'refused', ...options }: RetryOptions, terminal: Terminal) {
  if (options.line !== undefined && options.row !== undefined) {
    throw new LimitlineError('USAGE', 'Name the row by --line N or by --row ID, not by both.');
  }
  const payload = { portfolio: name, state, ...options };
  const { rows, waits, workers, why } = await onPortfolio(name, async (context) => {
    const { rows: moved, waits: asked } = await retryRows(payload, context);
    return {
      rows: moved,
      waits: asked,
      workers: await countLiving({ connection: context.ledger, keys: context.keys }),
      why: moved === 0 && !asked ? await explainEmptyRetry(payload, context) : '',
    };
  });
  if (waits) return terminal.print(askedWords(name, waits), { portfolio: name, retried: 0, waits, workers });
  // Who names a line, a row or a text means a row that is not there; who means all refused rows may find none.
  if (rows === 0 && (options.line ?? options.row ?? options.error) !== undefined) {
    throw new LimitlineError('NOT_FOUND', why);
  }
  terminal.print(rows === 0 ? why : `Portfolio ${name}: ${goingOn(rows, workers)}`, {
    portfolio: name,
    retried: rows,
    workers,
    ...(rows === 0 ? { why } : {}),
  });
}

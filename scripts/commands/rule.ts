import { type Command, Option } from 'commander';
import { addRule } from '../../jobs/nightly/retry-by-rules.ts';
import { commandLineActor } from '../../src/actor.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { type RuleForm, ruleWords } from '../../src/ledger/nightly/retry-rule.ts';
import { type RuleNow, ruleNightWords, rulesNow } from '../../src/ledger/nightly/retry-rules.ts';
import { STEPS } from '../../src/ledger/schema/row.ts';
import { minuteText } from '../../src/utc-text.ts';
import { withContext } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline rule add|list|remove`: rules by which refused rows are retried at night. */
export function register(program: Command, terminal: Terminal): void {
  const rule = program.command('rule');
  rule
    .command('add')
    .description('send refused rows again at night, each row on a limited number of nights')
    .option('--cause <id>', 'only rows rejected for this cause; report --causes lists the ids')
    .addOption(new Option('--step <step>', 'only rows that were refused at this step').choices(STEPS))
    .option('--status <n>', 'only rows that were refused with this status')
    .option('--words <text>', 'only rows that were refused in words that contain this text')
    .option('--portfolio <name>', 'only rows of this portfolio (default: of all portfolios)')
    .requiredOption('--nights <n>', 'on how many nights a row is sent again at most, 1 to 30')
    .action(async (form: RuleForm) => {
      const made = await withContext((context) => addRule(form, commandLineActor(), context), { facts: idOf });
      const nights = counted(made.nights, 'night');
      terminal.print(`Rule ${made.id}: rows ${ruleWords(made)} go again at night, each ${nights} at most.`, made);
    });
  rule
    .command('list')
    .description('list all rules, how many rows each would send again now at the most, and what it did last')
    .action(async () => {
      const { rules } = await withContext(rulesNow);
      terminal.print(ruleTable(rules), { rules: rules.map(printed) });
    });
  rule
    .command('remove')
    .argument('<id>', 'the rule')
    .description('remove a rule: from then on it sends no row again')
    .action(async (id: string) => {
      const removed = await withContext(async ({ retryRules }) => {
        const found = await retryRules.remove(id);
        if (!found) throw new LimitlineError('NOT_FOUND', `There is no rule "${id}": see limitline rule list.`);
        return found;
      });
      terminal.print(`Rule ${id} is removed: rows ${ruleWords(removed)} stay rejected.`, { removed: id });
    });
}

const idOf = ({ id }: { id: string }) => ({ rule: id });

function printed({ rule: { madeMs, ...rule }, rows, portfolios, last }: RuleNow) {
  const { atMs, ...did } = last ?? { atMs: undefined };
  const night = atMs === undefined ? null : { night: new Date(atMs).toISOString(), ...did };
  return { ...rule, made: new Date(madeMs).toISOString(), rows, portfolios, last: night };
}

function ruleTable(rules: readonly RuleNow[]): string {
  if (rules.length === 0) {
    return 'No rule says that refused rows are sent again at night. To make one: npx limitline rule add --cause ID --nights 3';
  }
  return rules.map((one) => ruleLines(one).join('\n')).join('\n\n');
}

function ruleLines({ rule, last, rows, portfolios }: RuleNow): string[] {
  const found = rows === 0 ? 'no row' : `at most ${counted(rows, 'row')} of ${counted(portfolios, 'portfolio')}`;
  return [
    `${rule.id}   rows ${ruleWords(rule)}`,
    `  sends  each night, for each row ${counted(rule.nights, 'night')} at most`,
    `  now    ${found}`,
    `  last   ${last ? `${minuteText(last.atMs)}: ${ruleNightWords(last)}` : 'it has not run yet'}`,
    `  made   ${minuteText(rule.madeMs)}, by ${rule.by}`,
  ];
}

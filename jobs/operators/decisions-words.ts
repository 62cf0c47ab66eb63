import { counted, grouped, moneyText } from '../../src/counted.ts';
import type { AmountIn } from '../../src/ledger/counts/outcome-sums.ts';
import { visible } from '../../src/portfolio/problem.ts';
import type { DecisionsFile } from '../../src/portfolio/results/decisions-file.ts';
import { saysAbove } from './decision-doubts.ts';
import type { ForeseenChanges } from './foreseen-changes.ts';
import type { DecisionsTaken } from './take-decisions.ts';

/** The most statuses without a meaning that a message names. The command `limitline statuses` lists all. */
const STATUSES_NAMED = 5;

/** The messages about a file's missing and unread columns, one sentence each. */
export function columnWords({ lacks, unread, mapped }: Pick<DecisionsFile, 'lacks' | 'unread' | 'mapped'>): string[] {
  return [
    ...(mapped.by === undefined
      ? []
      : [`Columns are read as ${mapped.by} said of such a file: ${mapped.map.map(visible).join(', ')}.`]),
    ...(lacks.includes('total_limit') ? ['The file has no column total_limit: the amounts that are known stay.'] : []),
    ...(lacks.includes('available_limit')
      ? [
          'The file has no column available_limit: the available amount of a limit is no longer known once the file says something new about it.',
        ]
      : []),
    ...(unread.length > 0 ? [`Columns that are not read: ${unread.map(visible).join(', ')}.`] : []),
  ];
}

/** The sentence about a file of decisions without lines. */
export const NO_LINES = 'The file has a header and no line, so there is nothing to take.';

/** Sentences about what became of a file's decisions or, in a dry run, would become of them. Single lines are in `problems` and `warnings`. */
export function decisionsWords(decided: DecisionsTaken, dryRun = false): string[] {
  const { taken, known, silent, rows, left, statuses, unexplained, problems, warnings, did, would = did } = decided;
  if (taken + known + silent + left + problems.length === 0) return [NO_LINES];
  const often = Object.entries(statuses).sort(([, one], [, other]) => other - one);
  const by = often.map(([status, count]) => `${grouped(count)} ${visible(status)}`);
  const none = left > 0 ? '' : ', without a change of any row';
  const follow = rows > 0 ? ` for ${counted(rows, 'row')}` : none;
  const of = by.length > 0 ? ` (${by.join(', ')})${dryRun ? '' : follow}` : '';
  const named = unexplained.slice(0, STATUSES_NAMED).map((status) => `"${visible(status)}"`);
  const others = unexplained.length - named.length;
  const above = warnings.filter(({ message }) => saysAbove(message)).length;
  const more = others > 0 ? ` and ${counted(others, 'other status', 'other statuses')}` : '';
  return [
    `${counted(taken, 'decision')} ${dryRun ? 'would be taken' : 'taken'}${of}, ${grouped(known)} known already, ${grouped(problems.length)} not taken.`,
    ...(would ? loweredSums(would, dryRun) : []),
    ...(left > 0
      ? [`${counted(left, 'row')} ${left === 1 ? 'does' : 'do'} not follow the decision yet: see the warnings.`]
      : []),
    ...(above > 0
      ? [
          `${counted(above, 'decision')} ${above === 1 ? 'has' : 'have'} a limit above the amount that was requested: see the warnings.`,
        ]
      : []),
    ...(named.length > 0
      ? [
          `Nobody has said what ${named.join(', ')}${more} ${unexplained.length === 1 ? 'means' : 'mean'}: say it on the console’s page Statuses, or by npx limitline statuses.`,
        ]
      : []),
    ...(would && taken > 0
      ? [`Granted of these requests: ${sumsText(would.before)} before, ${sumsText(would.after)} afterwards.`]
      : []),
    ...(silent > 0 ? [`${counted(silent, 'line')} ${silent === 1 ? 'decides' : 'decide'} nothing.`] : []),
  ];
}

/** The sentence about approvals that decisions take away or lower, if there are any. */
function loweredSums({ lowered: { limits, less } }: ForeseenChanges, dryRun: boolean): string[] {
  if (limits === 0) return [];
  const are = dryRun ? 'would be' : limits === 1 ? 'is' : 'are';
  const sum = less.length > 0 ? `: ${sumsText(less)} less ${dryRun ? 'would be' : 'is'} granted` : '';
  return [`${counted(limits, 'approval')} ${are} taken away or lowered${sum}.`];
}

const sumsText = (sums: readonly AmountIn[]) =>
  sums.map(({ amount, currency }) => moneyText(amount, currency)).join(' and ') || moneyText('0');

/** The first rows that decisions change or, in a dry run, would change, as lines for a terminal. */
export function foreseenWords({ rows, more }: Pick<ForeseenChanges, 'rows' | 'more'>): string[] {
  const granted = (amount: string) => (amount === '' ? 'none' : moneyText(amount));
  return [
    ...rows.map(({ row, name, requested, currency, before, after }) => {
      const status = `${visible(before.status) || 'no status'} → ${visible(after.status)}`;
      // What was requested with an archived row stands in its archive alone.
      const asked = requested === '' ? '' : `, ${moneyText(requested, currency)} requested`;
      return `${visible(name) || row}${asked}: ${status}, granted ${granted(before.granted)} → ${granted(after.granted)}`;
    }),
    ...(more > 0 ? [`and ${counted(more, 'more row')}`] : []),
  ];
}

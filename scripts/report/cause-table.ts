import { grouped } from '../../src/counted.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import type { Cause } from '../../src/ledger/counts/causes.ts';
import { groupedAmount } from '../../src/money-text.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { foldedText } from '../terminal/folded-text.ts';

/** A terminal has 80 columns, or more. */
const COLUMNS = 80;
const WORDS_FROM = 10;

/** Why rows of a portfolio are refused or held, the cause of most rows first, with the command that sends a group again. */
export function causeTable(portfolio: string, causes: readonly Cause[]): string {
  if (causes.length === 0) return `No row of portfolio ${portfolio} is refused or held.`;
  const lines = [`Failures of portfolio ${portfolio} by cause`, '', line('cause', 'rows', 'sum', 'step', 'meaning')];
  for (const { id, rows, sum, step, meaning, status, words } of causes) {
    lines.push(line(id, grouped(rows), groupedAmount(sum), step, status === null ? meaning : `${meaning}, ${status}`));
    lines.push(...foldedText(visible(words), COLUMNS - WORDS_FROM).map((part) => `${' '.repeat(WORDS_FROM)}${part}`));
  }
  const goes = causes.find(({ meaning }) => meaning !== 'unknown');
  lines.push('');
  if (goes) lines.push(`To send a group again: npx limitline retry "${portfolio}" --cause ${goes.id}`);
  if (causes.some(({ meaning }) => meaning === 'unknown')) {
    lines.push(...heldRemedy(portfolio).split(/(?<=file:|;) /));
  }
  return lines.join('\n');
}

function line(id: string, rows: string, sum: string, step: string, meaning: string): string {
  return `${id.padEnd(8)}${rows.padStart(10)}${sum.padStart(24)}  ${step.padEnd(9)}  ${meaning}`.trimEnd();
}

import { grouped } from '../../src/counted.ts';
import type { Cause } from '../../src/ledger/counts/causes.ts';
import { groupedAmount } from '../../src/money-text.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { fitted, widthOf } from '../terminal/width.ts';

/** A terminal has 80 columns, or more. */
const COLUMNS = 80;
const WORDS_FROM = 10;

/** Why rows of a portfolio are refused or held, the cause of most rows first, with the command that sends a group again. */
export function causeTable(portfolio: string, causes: readonly Cause[]): string {
  if (causes.length === 0) return `No row of portfolio ${portfolio} is refused or held.`;
  const lines = [
    `Failures of portfolio ${portfolio} by cause`,
    '',
    line('cause', 'rows', 'requested', 'step', 'meaning'),
  ];
  for (const { id, rows, sum, step, meaning, status, words } of causes) {
    lines.push(line(id, grouped(rows), groupedAmount(sum), step, status === null ? meaning : `${meaning}, ${status}`));
    lines.push(...folded(visible(words)).map((part) => `${' '.repeat(WORDS_FROM)}${part}`));
  }
  lines.push('', `To send a group again: npx limitline retry "${portfolio}" --cause ${causes[0]?.id}`);
  if (causes.some(({ meaning }) => meaning === 'unknown')) {
    lines.push(`Of what is unknown a person says what became: npx limitline resolve "${portfolio}"`);
  }
  return lines.join('\n');
}

function line(id: string, rows: string, sum: string, step: string, meaning: string): string {
  return `${id.padEnd(8)}${rows.padStart(10)}${sum.padStart(24)}  ${step.padEnd(9)}  ${meaning}`.trimEnd();
}

/** In lines that fit behind the indent, broken between words, or where there is no space. */
function folded(text: string): string[] {
  const lines: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const part = fitted(rest, COLUMNS - WORDS_FROM);
    const space = part.length < rest.length ? part.lastIndexOf(' ') : -1;
    const end = space > 0 && widthOf(part) > WORDS_FROM ? space : part.length;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return lines;
}

import { counted } from '../../src/counted.ts';
import { ruleWords } from '../../src/ledger/nightly/retry-rule.ts';
import { ruleNightWords } from '../../src/ledger/nightly/rule-night-words.ts';
import type { RuleNow } from '../../src/ledger/nightly/rules-now.ts';

/** The rules for people at a terminal, some lines each. */
export function ruleTable(rules: readonly RuleNow[]): string {
  if (rules.length === 0) {
    return 'No rule says that refused rows go again at night. To make one: npx limitline rule add --cause ID --nights 3';
  }
  return rules.map((one) => ruleLines(one).join('\n')).join('\n\n');
}

function ruleLines({ rule, last, rows, portfolios }: RuleNow): string[] {
  const means =
    rows === 0 ? 'no row now' : `${counted(rows, 'row')} of ${counted(portfolios, 'portfolio')} now, at the most`;
  return [
    `${rule.id}   rows ${ruleWords(rule)}`,
    `  goes   each night, ${counted(rule.nights, 'night')} a row at most`,
    `  means  ${means}`,
    `  last   ${last ? `${inUtc(last.atMs)}: ${ruleNightWords(last)}` : 'it has not run yet'}`,
    `  made   ${inUtc(rule.madeMs)}, by ${rule.by}`,
  ];
}

function inUtc(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

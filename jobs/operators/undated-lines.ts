import { Big } from 'big.js';
import type { Decided } from '../../src/ledger/rows/decisions.ts';
import { moneyText } from '../../src/money-text.ts';
import { visible } from '../../src/portfolio/problem.ts';
import type { LimitDecision } from '../../src/portfolio/results/decisions-file.ts';
import { countedStatus } from '../../src/status-meaning.ts';
import { type AboutLine, AT_ONCE, saidOf } from './decision-lines.ts';

/**
 * Warnings about lines of a results file without a `decided_at`: such lines change nothing, and a person who forgot the time has to know
 * that. Lines that say what is known of the row, and lines about rows that are not known, have no warning.
 *
 * @throws the signal's reason, between two pages of lines
 */
export async function undatedWarnings(
  lines: readonly LimitDecision[],
  decisions: Pick<Decided, 'limitOf' | 'find'>,
  signal?: AbortSignal,
): Promise<AboutLine[]> {
  const warnings: AboutLine[] = [];
  for (let from = 0; from < lines.length; from += AT_ONCE) {
    signal?.throwIfAborted();
    const page = lines.slice(from, from + AT_ONCE);
    const found = await Promise.all(page.map((line) => warningAbout(line, decisions)));
    warnings.push(...found.filter((one) => one !== undefined));
  }
  return warnings;
}

async function warningAbout(
  line: LimitDecision,
  decisions: Pick<Decided, 'limitOf' | 'find'>,
): Promise<AboutLine | undefined> {
  const said = await saidOf(line, new Date(0), decisions);
  if (typeof said === 'string') return undefined;
  const { limit: id, key, status, total } = said.word;
  const limit = await decisions.find(id, key);
  const isOther = key === undefined ? limit?.shared !== '' : limit?.key !== key;
  if (!limit || isOther) return undefined;
  const known = { status: limit.record.status ?? '', total: limit.record.total_limit ?? '' };
  // A program that changed the case of a cell said nothing.
  const hasOtherStatus = countedStatus(status).toLowerCase() !== countedStatus(known.status).trim().toLowerCase();
  const hasOtherTotal = total !== undefined && !isSame(total, known.total);
  if (!hasOtherStatus && !hasOtherTotal) return undefined;
  const says = [...(hasOtherStatus ? [status] : []), ...(hasOtherTotal ? [totalWords(total)] : [])];
  const has = [
    ...(hasOtherStatus ? [known.status || 'no status'] : []),
    ...(hasOtherTotal ? [amount(known.total)] : []),
  ];
  const message = `The line says ${says.map(visible).join(' and ')}, and the row has ${has.map(visible).join(' and ')}. Without decided_at the line changes nothing. If the service said this later, fill in when.`;
  return { at: line.at, message };
}

const isAmount = (text: string) => /^\d+(\.\d+)?$/.test(text);

function isSame(one: string, other: string): boolean {
  return isAmount(one) && isAmount(other) ? new Big(one).eq(other) : one === other.trim();
}

const totalWords = (total: string) => (total === '' ? 'no total_limit' : `a total_limit of ${amount(total)}`);

const amount = (text: string) => (text === '' ? 'none' : isAmount(text) ? moneyText(text) : text);

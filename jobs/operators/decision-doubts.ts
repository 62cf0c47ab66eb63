import { Big } from 'big.js';
import type { CallRecord } from '../../src/call-kind.ts';
import { moneyText } from '../../src/counted.ts';
import type { AboutLine } from '../../src/ledger/plans/decisions-taken.ts';
import type { Decided, DecidedLimit, LaterWord } from '../../src/ledger/rows/decisions.ts';
import { rowName } from '../../src/ledger/schema/schema.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { AHEAD_MS, END_OF_DAY, ZONE_WORDS } from '../../src/portfolio/results/decision-columns.ts';
import type { LimitDecision } from '../../src/portfolio/results/decisions-file.ts';
import { countedStatus, type Meanings } from '../../src/status-meaning.ts';
import { HOUR_MS } from '../../src/time-units.ts';
import { minuteText } from '../../src/utc-text.ts';
import { AT_ONCE, saidOf } from './decision-lines.ts';
import { standsOf } from './foreseen-changes.ts';

type Told = Pick<DecidedLimit, 'record' | 'decided' | 'maker' | 'shared'>;

/** The reasons why a decision is not taken, each as a function that gives the sentence for people. */
export const DECISION_FAULTS = {
  unknown: ({ limit }: LaterWord) => `No call of this account made the limit ${limit}.`,
  older: ({ limit, at }: LaterWord, { knownAt = '' }: { knownAt?: string | undefined }) =>
    knownAt < at
      ? `This decision about ${limit}, of ${at.slice(0, 10)}, was known already, and another one corrected it at ${knownAt}: the correction stays. If this decision counts, give it a later decided_at.`
      : `The decision about ${limit} is of ${momentText(at)}, and what is known of this limit is of ${momentText(knownAt)}: an older decision changes nothing. ${laterWords(knownAt)}`,
  contradicts: ({ limit, at }: LaterWord, { record, decided }: Told) =>
    `Another decision about ${limit} of the same time, ${momentText(at)}, is known, ${record.status} of ${decided?.file ?? ''}, and that one stays. If this decision counts, give it a later decided_at.`,
  ambiguous: ({ limit }: LaterWord, { maker, shared }: Told) =>
    `The service answered several requests with the id ${limit}, those of the rows ${maker ? `${rowName(maker)}, ` : ''}${shared}: fill in the column row. A row of an archived portfolio is decided once that is restored.`,
  'not made': ({ limit }: LaterWord) => `The limit ${limit} does not count: its request has another limit.`,
  damaged: ({ limit }: LaterWord) =>
    `The record of the limit ${limit} cannot be read: npx limitline reconcile tells more.`,
} as const;

/** What to do about a decision that is older than the known one. A file cannot have a time that is later than one far in the future. */
const laterWords = (knownAt: string): string =>
  Date.parse(knownAt) > Date.now() + AHEAD_MS
    ? `An event gave that time, which has not come yet. If this decision counts, take the file in again after ${minuteText(Date.parse(knownAt))}.`
    : 'If this decision counts, give it a later decided_at.';

/** The end of the warning about a limit above the request. */
const ABOVE = ' that was asked for.';

/** Whether a warning is about a limit above the request. */
export function saysAbove(warning: string): boolean {
  return warning.endsWith(ABOVE);
}

/**
 * Warnings about a decision that is taken: its limit is above the request, more is available than the limit, its time is before the
 * request, or it has no time and would replace another file's decision of the last hour.
 */
export function doubtsOf(
  { limit, total, available, at, isDated, isOfEvent }: LaterWord,
  { requested, askedMs, decided, decidedAt }: DecidedLimit,
  file: string,
): string[] {
  const isAbove = total && /^\d+(\.\d+)?$/.test(requested) && new Big(total).gt(requested);
  const above = `The limit ${limit} is ${moneyText(total ?? '')}, more than the ${moneyText(requested)}${ABOVE}`;
  const isMore = total && available && new Big(available).gt(total);
  const more = `More of the limit ${limit} is available than its total: ${moneyText(available ?? '')} of ${moneyText(total ?? '')}.`;
  const early = `The limit ${limit} was decided ${isDay(at) ? `on ${at.slice(0, 10)}` : `at ${minuteText(at)}`}, before it was requested at ${minuteText(askedMs)}.${isOfEvent ? '' : ` The decision counts all the same.${isDay(at) ? '' : ` ${ZONE_WORDS}`}`}`;
  const other = decided?.file ?? '';
  const isJustBehind = !isDated && !isOfEvent && Date.parse(at) - Date.parse(decidedAt) < TOGETHER_MS;
  const together = `${other} said something else of ${limit} less than an hour ago. ${file} gives no time for its decision, so ${file} counts as the later file. If that is wrong, give both decisions a decided_at with a time, and take the files again.`;
  return [
    ...(isAbove ? [above] : []),
    ...(isMore ? [more] : []),
    ...(Date.parse(at) < askedMs ? [early] : []),
    ...(isJustBehind && other !== '' && other !== file ? [together] : []),
  ];
}

/** The warning about an approval that grants less than the service granted before. */
export function loweredWords({ limit, status, total }: LaterWord, before: CallRecord, meanings: Meanings): string[] {
  const { granted } = standsOf(before, meanings);
  const isApproved = standsOf({ status, total_limit: '0' }, meanings).granted !== '';
  if (total === undefined || granted === '' || !isApproved || !new Big(total || '0').lt(granted)) return [];
  const now = total === '' ? 'none, since its total_limit is empty' : `${moneyText(total)}, less than before`;
  return [`The limit ${limit} is approved, and its granted amount changes: ${moneyText(granted)} → ${now}.`];
}

/** Whether a decision has a day without a time, which counts as the end of the day. */
const isDay = (at: string) => at.endsWith(END_OF_DAY);

const momentText = (at: string) => (isDay(at) ? `${at.slice(0, 10)} (the end of the day, since it has no time)` : at);

/**
 * The time, in ms, within which two files may have been dropped together. Such files are taken one after another, large ones within
 * minutes.
 */
const TOGETHER_MS = HOUR_MS;

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
  const message = `The line says ${says.map(visible).join(' and ')}, and the row has ${has.map(visible).join(' and ')}. Without decided_at the line changes nothing. If the service said this later, write the time into that column.`;
  return { at: line.at, message };
}

const isAmount = (text: string) => /^\d+(\.\d+)?$/.test(text);

function isSame(one: string, other: string): boolean {
  return isAmount(one) && isAmount(other) ? new Big(one).eq(other) : one === other.trim();
}

const totalWords = (total: string) => (total === '' ? 'no total_limit' : `a total_limit of ${amount(total)}`);

const amount = (text: string) => (text === '' ? 'none' : isAmount(text) ? moneyText(text) : text);

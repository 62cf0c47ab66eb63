import { LimitlineError } from '../../errors.ts';
import type { Cause, RowCause } from '../counts/cause.ts';
import { STEPS, type Step } from '../schema/row.ts';

/** Which refused rows a rule matches: those of one cause, or of all causes that fit the other fields. */
type RuleMatch = {
  cause?: string;
  step?: Step;
  status?: number;
  /** A part of the cause's words, in any case. */
  words?: string;
  /** Only rows of this portfolio; of all if undefined. */
  portfolio?: string;
};

/** An operator's rule: rows that it matches are sent again at night, each for so many nights at most. */
export type RetryRule = RuleMatch & {
  id: string;
  /** Most nights on which a row is sent again, 1 to {@link MOST_NIGHTS}, whichever rules sent it. */
  nights: number;
  /** Who made the rule: that person asks for what it sends, and so cannot approve that. */
  by: string;
  madeMs: number;
  /** Description of the rule's cause when the rule was made: the ledger deletes a cause with its last row. */
  known?: string;
};

/** The most nights for which a rule sends a row again; after that a person has to ask anew. */
export const MOST_NIGHTS = 30;

/** Most characters of a cause's words (cause.ts). */
const MOST_WORDS = 200;

/** A person's input for a new rule, as text. */
export type RuleForm = Partial<Record<'cause' | 'step' | 'status' | 'words' | 'portfolio' | 'nights', string>>;

/**
 * Reads the input for a rule; an empty field counts as missing.
 *
 * @throws LimitlineError `USAGE` for a rule that would match every row, or for an invalid field
 */
export function readRule(form: RuleForm): RuleMatch & { nights: number } {
  const said = (name: keyof RuleForm) => form[name]?.trim() || undefined;
  const [cause, step, status, words, portfolio] = [
    said('cause'),
    said('step'),
    said('status'),
    said('words'),
    said('portfolio'),
  ];
  const nights = Number(said('nights') ?? Number.NaN);
  if (!Number.isInteger(nights) || nights < 1 || nights > MOST_NIGHTS) {
    throw new LimitlineError('USAGE', `Say for how many nights a row is sent again at most: 1 to ${MOST_NIGHTS}.`);
  }
  const others = step ?? status ?? words;
  if (cause !== undefined && others !== undefined) {
    throw new LimitlineError('USAGE', 'Name a cause, or describe causes by step, status and words: not both.');
  }
  if (cause === undefined && others === undefined) {
    throw new LimitlineError('USAGE', 'Say which refused rows are meant: by a cause, or by step, status or words.');
  }
  if (cause !== undefined && !/^[a-z0-9]{1,16}$/.test(cause)) {
    throw new LimitlineError('USAGE', 'There is no such cause: take its id from limitline report NAME --causes.');
  }
  return {
    ...(cause === undefined ? {} : { cause }),
    ...(step === undefined ? {} : { step: stepOf(step) }),
    ...(status === undefined ? {} : { status: statusOf(status) }),
    ...(words === undefined ? {} : { words: wordsOf(words) }),
    ...(portfolio === undefined ? {} : { portfolio }),
    nights,
  };
}

/** Whether a rule matches the refused rows of a cause. Never held rows: only a person may have these sent. */
export function ruleMatches(
  rule: RuleMatch,
  portfolio: string,
  { id, step, status, words, meaning }: Omit<RowCause, 'meaning'> & { meaning: string },
): boolean {
  if (meaning === 'unknown') return false;
  if (rule.portfolio !== undefined && rule.portfolio !== portfolio) return false;
  if (rule.cause !== undefined) return rule.cause === id;
  if (rule.step !== undefined && rule.step !== step) return false;
  if (rule.status !== undefined && rule.status !== status) return false;
  return rule.words === undefined || words.toLowerCase().includes(rule.words.toLowerCase());
}

/** The rule that sends rows of a cause: of several the one with most nights, since a row's nights count together, then the oldest. */
export function ruleFor(rules: readonly RetryRule[], portfolio: string, cause: Cause): RetryRule | undefined {
  return rules
    .filter((rule) => ruleMatches(rule, portfolio, cause))
    .toSorted((a, b) => b.nights - a.nights || a.madeMs - b.madeMs || (a.id < b.id ? -1 : 1))[0];
}

/** Describes a rule, to follow the word "rows": `rejected with status 422 at the step limit, in words with “above” in portfolio q4`. */
export function ruleWords(given: Omit<RetryRule, 'id'> | (RuleMatch & { known?: string })): string {
  const { cause, known, step, status, words, portfolio } = given;
  const parts = [
    cause === undefined ? 'rejected' : `rejected for cause ${cause}${known === undefined ? '' : `, ${known}`}`,
    status === undefined ? '' : `with status ${status}`,
    step === undefined ? '' : `at the step ${step}`,
    words === undefined ? '' : `in words with “${words}”`,
    portfolio === undefined ? 'in all portfolios' : `in portfolio ${portfolio}`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** `requested_limit is above … (status 400)`: the description of a cause. */
export function causeWords({ words, meaning, status }: RowCause): string {
  return `${words || meaning}${status === null ? '' : ` (status ${status})`}`;
}

function stepOf(text: string): Step {
  const step = STEPS.find((one) => one === text);
  if (!step) throw new LimitlineError('USAGE', `There is no step "${text}"; there are ${STEPS.join(', ')}.`);
  return step;
}

function statusOf(text: string): number {
  if (/^[3-5]\d\d$/.test(text)) return Number(text);
  throw new LimitlineError('USAGE', 'A status is a number of three digits that the service refuses with, such as 422.');
}

function wordsOf(text: string): string {
  if (text.length <= MOST_WORDS) return text;
  throw new LimitlineError('USAGE', `No cause has more than ${MOST_WORDS} characters: shorten the words.`);
}

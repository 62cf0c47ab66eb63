import { LimitlineError } from '../../errors.ts';
import type { Cause, RowCause } from '../counts/cause.ts';
import { STEPS, type Step } from '../schema/row.ts';

/** Which refused rows a rule means: those of one cause, or of all causes for which the rest holds. */
export type RuleMatch = {
  cause?: string;
  step?: Step;
  status?: number;
  /** What the words of the cause contain, in any case. */
  words?: string;
  /** Of this portfolio alone; of all where there is none. */
  portfolio?: string;
};

/** An operator's rule: rows that it means go again at night, each so many nights at most. */
export type RetryRule = RuleMatch & {
  id: string;
  /** 1 to {@link MOST_NIGHTS}: of each row, whichever rules sent it. */
  nights: number;
  /** Who made it: they ask for what it sends, so they cannot approve that. */
  by: string;
  madeMs: number;
  /** What was known of the cause that it names, when it was made: a cause is forgotten with its last row. */
  known?: string;
};

/** The longest time for which somebody's request to have a row sent again holds without another word of theirs. */
export const MOST_NIGHTS = 30;

/** Words of a cause are 200 characters at the most (cause.ts). */
const MOST_WORDS = 200;

/** What somebody says of a rule that is to be made: texts as they came. */
export type RuleForm = Partial<Record<'cause' | 'step' | 'status' | 'words' | 'portfolio' | 'nights', string>>;

/**
 * Reads a form; what is empty was not said.
 *
 * @throws LimitlineError `USAGE` for one that would mean every row, and for anything that cannot be meant
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
    throw new LimitlineError('USAGE', `Say for how many nights a row goes again at most: 1 to ${MOST_NIGHTS}.`);
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

/** Whether a rule means the refused rows of a cause. Held rows are nobody's to send without a person's word. */
export function isMeant(
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

/** The rule by which rows of a cause go: of several the one with most nights, since a row's nights are counted once, and then the oldest. */
export function ruleFor(rules: readonly RetryRule[], portfolio: string, cause: Cause): RetryRule | undefined {
  return rules
    .filter((rule) => isMeant(rule, portfolio, cause))
    .toSorted((a, b) => b.nights - a.nights || a.madeMs - b.madeMs || (a.id < b.id ? -1 : 1))[0];
}

/** `refused with status 422 at the limit, in words with "above", in portfolio q4`; the rest of a sentence about rows. */
export function ruleWords({
  cause,
  known,
  step,
  status,
  words,
  portfolio,
}: Omit<RetryRule, 'id'> | (RuleMatch & { known?: string })): string {
  const parts = [
    cause === undefined ? 'refused' : `refused for cause ${cause}${known === undefined ? '' : `, ${known}`}`,
    status === undefined ? '' : `with status ${status}`,
    step === undefined ? '' : `at the step ${step}`,
    words === undefined ? '' : `in words with “${words}”`,
    portfolio === undefined ? 'in all portfolios' : `in portfolio ${portfolio}`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** `requested_limit is above … (status 400)`: how a cause is remembered. */
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

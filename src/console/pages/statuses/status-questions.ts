import { grouped } from '../../../counted.ts';
import type { AnswerOutcome } from '../../../ledger/counts/row-outcome.ts';
import { visible } from '../../../portfolio/problem.ts';
import { faultOfStatus, type Meanings, type StatusMeaning, statusMeaningOf } from '../../../status-meaning.ts';
import { can, type Rights } from '../../access/access.ts';
import { countWords, type Html, html, NOTHING, t } from '../../html/html.ts';
import { notice } from '../../parts/blocks.ts';
import { button, form, hidden } from '../../parts/form.ts';

/** The meanings that people choose from, in the order of buttons, with their words and the outcome whose colour they have. */
export const MEANING_WORDS: Readonly<Record<StatusMeaning, { words: string; outcome: AnswerOutcome }>> = {
  review: { words: t`Under review`, outcome: 'under_review' },
  declined: { words: t`Declined`, outcome: 'declined' },
  approved: { words: t`Approved`, outcome: 'approved' },
};

/** Who may say what a status means: it decides what becomes of rows, and belongs to the account. */
export const SAYS_MEANINGS = { roles: ['finance', 'operator', 'admin'] } as const;

/** The most statuses that a page other than *Statuses* asks about: a fourth question would hide the page. */
const MOST_ASKED = 3;

/** The data that the forms about meanings need. `back` is the page to return to: `/`, a portfolio's name, or '' for *Statuses*. */
export type Asking = { rights: Rights; csrf: string; back: string };

/**
 * A notice that asks for the meanings of statuses that rows have and nobody has explained, the most frequent status first. Statuses
 * to which no meaning can be given are left to the page *Statuses*.
 *
 * @param counts rows by status
 */
export function statusQuestions(counts: Readonly<Record<string, number>>, meanings: Meanings, asked: Asking): Html {
  const open = Object.entries(counts)
    .filter(([status]) => statusMeaningOf(status, meanings) === undefined && faultOfStatus(status) === undefined)
    .sort(([one, rows], [other, more]) => more - rows || (one < other ? -1 : 1));
  if (open.length === 0) return NOTHING;
  const more = open.length - MOST_ASKED;
  const isOne = open.length === 1;
  const way = html`<a href="/statuses">${more > 0 ? t`All statuses, with ${grouped(more)} more without a meaning` : t`All statuses`}</a>`;
  const who = can(asked.rights, 'POST /statuses')
    ? t`An answer holds for all portfolios of the account, and can be changed.`
    : t`Somebody with the role ${WHO} can say what a status means.`;
  return notice(
    'info',
    html`<div class="stacked">${open.slice(0, MOST_ASKED).map(([status, rows]) => question(status, rows, asked))}<p>${isOne ? '' : t`The service does not explain these statuses. `}${who} ${way}</p></div>`,
  );
}

const WHO = t`finance, operator or admin`;

function question(status: string, rows: number, asked: Asking): Html {
  return html`<div class="action"><p><strong>${quotedStatus(status)} came ${countWords(rows, 'time')}.</strong> What does it mean?</p>${can(asked.rights, 'POST /statuses') && meaningButtons(status, undefined, asked)}</div>`;
}

/** A status as the service wrote it, on one line; isolated, so that its direction of reading turns nothing else around. */
export function quotedStatus(status: string): Html {
  return html`“<bdi>${visible(status)}</bdi>”`;
}

/**
 * A form that says what a status means. It has a button for each meaning that the status does not have now, and one that takes the present
 * meaning away. The status is escaped: browsers change line breaks and null characters in fields.
 */
export function meaningButtons(status: string, now: StatusMeaning | undefined, { csrf, back }: Asking): Html {
  const name = visible(status);
  const others = Object.entries(MEANING_WORDS).filter(([meaning]) => meaning !== now);
  return form({
    action: '/statuses',
    csrf,
    class: 'actions',
    body: html`${hidden('status', encodeURIComponent(status.toWellFormed()))}${hidden('back', back)}${hidden('was', now ?? UNKNOWN)}${others.map(
      ([meaning, { words }]) =>
        button({ words, name: 'means', value: meaning, label: t`${words}: this is what ${name} means` }),
    )}${now !== undefined && button({ words: t`Take back`, kind: 'quiet', name: 'means', value: UNKNOWN, label: t`Take back what ${name} means` })}`,
  });
}

/** The word in place of a meaning that takes the meaning of a status away. The command `limitline statuses` uses it too. */
export const UNKNOWN = 'unknown';

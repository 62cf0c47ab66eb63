import { z } from 'zod';
import { grouped } from '../../../counted.ts';
import { isLimitlineError } from '../../../errors.ts';
import type { KnownStatus, SeenMeaning } from '../../../ledger/counts/meaning-store.ts';
import type { AnswerOutcome } from '../../../ledger/counts/row-outcome.ts';
import { isPortfolioName } from '../../../ledger/schema/schema.ts';
import { visible } from '../../../portfolio/problem.ts';
import type { Meanings, StatusMeaning } from '../../../status-meaning.ts';
import { faultOfStatus, MEANINGS, statusMeaningOf } from '../../../status-meaning.ts';
import { can, LOOKS, type Rights } from '../../access/access.ts';
import { formFieldsOf } from '../../actions/add-action.ts';
import { ConsoleError } from '../../console-app.ts';
import { countWords, type Html, type HtmlValue, html, NOTHING, t } from '../../html/html.ts';
import { emptyState, notice, pageHead, panel, type TableColumn, table } from '../../parts/blocks.ts';
import { stateBadge } from '../../parts/figures.ts';
import { button, form, hidden } from '../../parts/form.ts';
import { withNumbers } from '../../parts/text.ts';
import { portfolioAddress } from '../addresses.ts';
import { page } from '../page.ts';

/** The meanings that people choose from, in the order of buttons, with their words and the outcome whose colour they have. */
const MEANING_WORDS: Readonly<Record<StatusMeaning, { words: string; outcome: AnswerOutcome }>> = {
  review: { words: t`Under review`, outcome: 'under_review' },
  declined: { words: t`Declined`, outcome: 'declined' },
  approved: { words: t`Approved`, outcome: 'approved' },
};

/** Who may say what a status means: it decides what becomes of rows, and belongs to the account. */
const SAYS_MEANINGS = { roles: ['finance', 'operator', 'admin'] } as const;

/** The most statuses that a page other than *Statuses* asks about: a fourth question would hide the page. */
const MOST_ASKED = 3;

/** The data that the forms about meanings need. `back` is the page to return to: `/`, a portfolio's name, or '' for *Statuses*. */
type Asking = { rights: Rights; csrf: string; back: string };

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
  const words = html`<div class="stacked">${open.slice(0, MOST_ASKED).map(([status, rows]) => question(status, rows, asked))}<p>${isOne ? '' : t`The service does not explain these statuses. `}${who} ${way}</p></div>`;
  return notice('info', words);
}

const WHO = t`finance, operator or admin`;

function question(status: string, rows: number, asked: Asking): Html {
  return html`<div class="action"><p><strong>${quotedStatus(status)} came ${withNumbers(countWords(rows, 'time'))}.</strong> What does it mean?</p>${can(asked.rights, 'POST /statuses') && meaningButtons(status, undefined, asked)}</div>`;
}

/** A status as the service wrote it, on one line; isolated, so that its direction of reading turns nothing else around. */
function quotedStatus(status: string): Html {
  return html`“<bdi>${visible(status)}</bdi>”`;
}

/**
 * A form that says what a status means. It has a button for each meaning that the status does not have now, and one that takes the present
 * meaning away. The status is escaped: browsers change line breaks and null characters in fields.
 */
function meaningButtons(status: string, now: StatusMeaning | undefined, { csrf, back }: Asking): Html {
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

/** A status of the list. If it has no meaning, `nearest` is a status that it probably stands for: one with a meaning or with more rows. */
type ListedStatus = KnownStatus & { nearest?: string };

export type StatusesPageFunctions = {
  /** All statuses of the account, the most frequent first. */
  known: () => Promise<ListedStatus[]>;
  /**
   * Sets the meaning of a status in a person's name, or takes it back. Answers false, and changes nothing, if the present meaning
   * is no longer the one that was `seen`.
   *
   * @throws LimitlineError `USAGE` where that cannot be, with a message for people
   */
  set: (status: string, meaning: StatusMeaning | undefined, by: string, seen?: SeenMeaning) => Promise<boolean>;
};

/** The most statuses without a meaning that are shown: a service with more of them writes something else into the field. */
const UNKNOWN_SHOWN = 20;

/** The most statuses with a meaning that are shown. People gave each of them. */
const KNOWN_SHOWN = 200;

/** `/statuses`: which statuses the service answered, and what people say that they mean. */
export const statusMeaningsPage = page<StatusesPageFunctions>({ at: 'portfolios', ours: 'all' }, ({ get, post }) => [
  get('/statuses', {
    // People with the role admin alone may look too, since a meaning belongs to the account.
    may: { roles: [...LOOKS.roles, 'admin'] },
    query: SAID_QUERY,
    show: async ({ reply, rights, given, query: { said, back } }) => ({
      title: t`Statuses`,
      body: statusesPage(await given.known(), { said, rights, csrf: reply.csrf(), back: isPage(back) ? back : '' }),
    }),
  }),
  post('/statuses', {
    may: SAYS_MEANINGS,
    action: 'status meaning',
    form: MEANING_FORM,
    says: ['means'],
    about: ({ request }) => ({ named: MEANING_FORM.parse(formFieldsOf(request.body)).status }),
    handle: async ({ fields: { status, means, was, back }, actor, reply, given }) => {
      if (status === undefined || means === undefined) throw new ConsoleError(400, NOT_SAID);
      const seen = was && { meaning: meaningOf(was) };
      const isSet = await given.set(status, meaningOf(means), actor.name, seen).catch((error: unknown) => {
        throw isLimitlineError(error, 'USAGE') ? new ConsoleError(422, error.message, { cause: error }) : error;
      });
      if (!isSet) throw new ConsoleError(409, SAID_SINCE);
      return reply.redirect(`/statuses?${new URLSearchParams({ said: encodeURIComponent(status), back })}`, 303);
    },
  }),
]);

const SAID_SINCE = t`Somebody has said since what this status means. Look at the page again: nothing was changed.`;
const NOT_SAID = t`Choose a status of the page, and what it means. Nothing was changed.`;

/** Reads a status from a form, which has it escaped; undefined for a text that is no escaped status. */
const ESCAPED = z.string().transform((text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
});

/** After somebody said what a status means: that status, and the page on which it was said. */
const SAID_QUERY = z.object({ said: ESCAPED.optional().catch(undefined), back: z.string().catch('') });

/** Whether the text stands for another page that asks about statuses: the first one, or a portfolio's. */
const isPage = (back: string): boolean => back === '/' || isPortfolioName(back);

const MEANING_FORM = z.object({
  status: ESCAPED.optional().catch(undefined),
  means: z
    .enum([...MEANINGS, UNKNOWN])
    .optional()
    .catch(undefined),
  was: z
    .enum([...MEANINGS, UNKNOWN])
    .optional()
    .catch(undefined),
  back: z.string().catch(''),
});

function meaningOf(word: StatusMeaning | typeof UNKNOWN): StatusMeaning | undefined {
  return word === UNKNOWN ? undefined : word;
}

/** What was said just now, where it counts, and how it is changed: a button that was pressed by mistake counts at once. */
function saidNotice({ status, meaning }: ListedStatus, asked: Asking): Html {
  const { back } = asked;
  const now =
    meaning === undefined
      ? html`Nobody says any more what ${quotedStatus(status)} means.`
      : html`${quotedStatus(status)} means “${MEANING_WORDS[meaning].words}” from now on, in all portfolios of the account.`;
  const way =
    back !== '' &&
    html` <a href="${back === '/' ? '/' : portfolioAddress(back)}">${back === '/' ? t`Back to the portfolios` : html`Back to <bdi>${back}</bdi>`}</a>`;
  return notice('good', html`<div class="action"><p>${now}${way}</p>${meaningButtons(status, meaning, asked)}</div>`);
}

function statusesPage(
  known: readonly ListedStatus[],
  { said: last, ...asked }: Asking & { said: string | undefined },
): Html {
  const told = last === undefined ? undefined : known.find(({ status, from }) => status === last && from !== 'setting');
  const open = known.filter(({ meaning }) => meaning === undefined);
  const said = known.filter(({ meaning }) => meaning !== undefined);
  const lead = t`The service explains the status “approved” alone. People say once what each other one means; reports, results and pages count by that at once.`;
  const head = pageHead({ title: t`Statuses`, trail: [{ href: '/', words: t`Portfolios` }], lead });
  if (known.length === 0) {
    const words = t`Statuses stand here as soon as the service has answered a row. Archived portfolios are not counted.`;
    return html`${head}${emptyState({ title: t`No row has a status yet.`, words })}`;
  }
  return html`${head}
    ${told && can(asked.rights, 'POST /statuses') && saidNotice(told, asked)}
    ${open.length > 0 && panel({ title: t`Nobody has said what these mean`, body: listOf(t`Statuses without a meaning`, open, UNKNOWN_SHOWN, asked) })}
    ${said.length > 0 && panel({ title: t`What statuses mean`, body: listOf(t`Statuses with a meaning`, said, KNOWN_SHOWN, asked) })}`;
}

function listOf(caption: string, all: readonly ListedStatus[], most: number, asked: Asking): Html {
  const rest = all.slice(most);
  const restRows = rest.reduce((sum, { rows }) => sum + rows, 0);
  const isKnown = all.some(({ meaning }) => meaning !== undefined);
  const columns: TableColumn<ListedStatus>[] = [
    { head: t`Status`, names: true, cell: statusOf },
    { head: t`Rows`, kind: 'number', cell: ({ rows }) => grouped(rows) },
    ...(isKnown
      ? [
          { head: t`Means`, cell: ({ meaning }: KnownStatus) => meaning && meaningBadge(meaning) },
          { head: t`Who says so`, cell: (one: KnownStatus) => whoSays(one, asked) },
        ]
      : []),
    { head: isKnown ? t`Change` : t`What it means`, cell: (one) => changeOf(one, asked) },
  ];
  return html`${table({ caption, rows: all.slice(0, most), columns })}
    ${rest.length > 0 && html`<p class="quiet">${withNumbers(countWords(rest.length, 'more status', 'more statuses'))} of ${withNumbers(countWords(restRows, 'row'))}, less frequent.</p>`}`;
}

/** A status, with a question if it probably stands for another one (`nearest`). */
function statusOf({ status, nearest }: ListedStatus): Html {
  const asked = nearest !== undefined && html`<br><span class="hint">Did you mean ${quotedStatus(nearest)}?</span>`;
  return html`${quotedStatus(status)}${asked}`;
}

function meaningBadge(meaning: StatusMeaning): Html {
  const { words, outcome } = MEANING_WORDS[meaning];
  return stateBadge(outcome, words);
}

function whoSays({ status, from, by = t`people of this account` }: KnownStatus, { rights }: Asking): HtmlValue {
  if (from === 'service') return t`the service`;
  if (from === 'setting') return t`the setting STATUS_MEANINGS`;
  const query = new URLSearchParams({ what: 'status meaning set', about: status });
  if (!can(rights, 'GET /audit')) return html`<bdi>${by}</bdi>`;
  return html`<a href="/audit?${query.toString()}"><bdi>${by}</bdi></a>`;
}

function changeOf({ status, meaning, from }: KnownStatus, asked: Asking): HtmlValue {
  if (from === 'service') return '–';
  if (from === 'setting') return t`fixed by the setting`;
  const fault = faultOfStatus(status);
  if (fault !== undefined) return t`It ${fault}, so no meaning can be given to it.`;
  if (can(asked.rights, 'POST /statuses')) return meaningButtons(status, meaning, asked);
  return t`by finance, operator or admin`;
}

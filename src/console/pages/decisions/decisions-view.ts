import type { AboutLine, UnreadUpload, UploadedDecisions } from '../../../ledger/plans/decisions-taken.ts';
import { rowIdOf } from '../../../ledger/schema/schema.ts';
import { visible } from '../../../portfolio/problem.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { notice, pageHead, panel, table } from '../../parts/blocks.ts';
import { button, field, form, hidden, linkButton, select } from '../../parts/form.ts';
import { amount, count, cutWords, localized, moment, money, theirWords, withNumbers } from '../../parts/text.ts';
import { below, portfolioAddress, rowAddress } from '../addresses.ts';

/** Advice that messages give for the command line, as patterns, each with the words for this page. */
const WORDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/rename a column, or name it with --map .*$/, t`say below which column is what.`],
  [/say --decimal comma or --decimal point/, t`choose “Decimal mark” with the file`],
  [/--decimal comma or --decimal point/, t`“Decimal mark”`],
  [/say --dates dmy or --dates mdy/, t`choose “Dates” with the file`],
  [/--dates dmy or --dates mdy/, '“Dates”'],
  [/say --hidden-rows to include hidden rows, or show it/, t`show it`],
  [/, or by npx limitline statuses/, ''],
];

/** Rewrites a message that was written for the command line, so that its advice fits this page. */
export function onPage(sentence: string): string {
  return WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), sentence);
}

/** The most lines that a table shows; further ones are only counted. */
const MOST_SHOWN = 200;

export function decisionsForm(portfolio: string, csrf: string): Html {
  return html`<details class="fold">
    <summary>Upload decisions <span class="quiet">what the service decided later</span></summary>
    ${uploadForm(portfolio, csrf)}
  </details>`;
}

function uploadForm(portfolio: string, csrf: string): Html {
  return html`<p>A CSV or workbook with the columns <code>buyer_limit_id</code> (or <code>row</code>), <code>status</code>, <code>total_limit</code>, <code>available_limit</code> and <code>decided_at</code>. Where they have other names, you are asked. You see what it would do before anything is done.</p>
    ${form({
      action: below(portfolio, 'decisions'),
      csrf,
      multipart: true,
      label: t`Upload decisions`,
      body: html`${select({ label: t`Decimal mark`, name: 'decimal', id: 'decisions-decimal', options: [AS_SHOWN, { value: '.', words: t`point: 1,234.50` }, { value: ',', words: t`comma: 1.234,50` }] })}
        ${select({ label: t`Dates`, name: 'dates', id: 'decisions-dates', options: [AS_SHOWN, { value: 'dmy', words: t`day first: 31/12/2026` }, { value: 'mdy', words: t`month first: 12/31/2026` }] })}
        ${field({ label: t`File (10 MB at the most)`, name: 'file', id: 'decisions-file', type: 'file', accept: '.csv,.txt,.xlsx', required: true })}${button({ words: t`Show what it would do` })}`,
    })}`;
}

/**
 * The page of an upload whose decisions were not taken in: the reason, and the forms to name its columns (if `unread`) and to
 * upload another file. `isGone`: the upload is no longer kept, so its decisions may have been taken in before.
 */
export function refusedView(
  portfolio: string,
  { message, csrf, unread, isGone }: { message: string; csrf: string; unread?: UnreadUpload; isGone?: boolean },
): Html {
  return html`${pageHead({
    title: unread
      ? html`Which column of ${theirWords(cutWords(unread.fileName))} is what?`
      : isGone
        ? t`These decisions were taken in already, or are too old`
        : t`These decisions were not taken in`,
    trail: trailOf(portfolio),
    lead: isGone ? t`Nothing was changed now.` : t`Nothing was changed.`,
  })}
  ${notice(unread || isGone ? 'warn' : 'bad', onPage(message))}
  ${unread && panel({ title: t`Columns`, body: columnsForm(unread, csrf) })}
  ${panel({ title: unread ? t`Or upload another file` : t`Upload decisions again`, body: uploadForm(portfolio, csrf) })}
  <p>${linkButton({ href: portfolioAddress(portfolio), words: t`Back to the portfolio` })}</p>`;
}

/** Asks which header means which column. Once the decisions are taken in, the answers hold for all files with the same header. */
function columnsForm(
  { id, portfolio, asked: { names, headers, map } }: Pick<UnreadUpload, 'id' | 'portfolio' | 'asked'>,
  csrf: string,
): Html {
  const options = [
    { value: '', words: t`none` },
    ...headers.map((header) => ({ value: header, words: cutWords(header) })),
  ];
  const headerOf = (name: string) => map.find((one) => one.endsWith(`=${name}`))?.slice(0, -name.length - 1) ?? '';
  return form({
    action: below(portfolio, 'decisions', 'columns'),
    csrf,
    label: t`Columns of the file`,
    body: html`${hidden('upload', id)}${names.map((name) => select({ label: COLUMN_WORDS[name] ?? name, name, value: headerOf(name), options }))}<p class="hint">Files with the same header are read so from then on, once the decisions are taken in.</p>${button({ words: t`Show what it would do` })}`,
  });
}

/** The labels of the columns of a decisions file, by the columns' names. */
const COLUMN_WORDS: Readonly<Record<string, string>> = {
  buyer_limit_id: t`Id of the limit`,
  row: t`Row, as results name it`,
  status: t`Status`,
  total_limit: t`Total limit`,
  available_limit: t`Available limit`,
  decided_at: t`When it was decided`,
};

const trailOf = (portfolio: string) => [
  { href: '/', words: t`Portfolios` },
  { href: portfolioAddress(portfolio), words: portfolio },
];

const AS_SHOWN = { value: '', words: t`as the file shows` };

/**
 * What uploaded decisions would change, with the button that takes them in; without `csrf`, what they have changed. `twice`: a
 * person asked to take them in again.
 */
export function decisionsView(shown: UploadedDecisions, { csrf, twice }: { csrf?: string; twice?: boolean }): Html {
  const { id, portfolio, fileName, columns, words, taken, known, problems, warnings, asked, would } = shown;
  const name = theirWords(cutWords(fileName));
  const isLook = csrf !== undefined;
  const isOpen = isLook && taken + known > 0;
  const back = linkButton({
    href: portfolioAddress(portfolio),
    words: isOpen ? t`Leave it` : t`Back to the portfolio`,
  });
  const yes = (token: string) =>
    form({
      action: below(portfolio, 'decisions', 'take'),
      csrf: token,
      class: 'inline-form',
      body: html`${hidden('upload', id)}${taken > 0 ? button({ words: withNumbers(t`Take in ${countWords(taken + known, 'decision')}`), kind: 'primary' }) : button({ words: t`Take them in again` })} ${back}`,
    });
  return html`${pageHead({
    title: isLook ? html`What ${name} would do` : html`What ${name} did`,
    trail: trailOf(portfolio),
    lead: isLook
      ? t`Nothing was changed yet. A limit that rows of other portfolios share changes in all of them.`
      : localized(words[0]),
  })}
  ${twice && notice('info', t`These decisions were taken in already. Nothing was done twice: this is what became of them.`)}
  ${columns.map((one) => notice('info', one))}
  ${isLook && asked && html`<details class="fold"><summary>Say which column is what</summary>${columnsForm({ id, portfolio, asked }, csrf)}</details>`}
  ${(isLook ? words : words.slice(1)).map((one) => html`<p>${withNumbers(onPage(one))}</p>`)}
  ${isOpen && taken === 0 && html`<p>All of it is known already. To take it in again changes only rows that were not done when it came.</p>`}
  ${warnings.length > 0 && linesPart(t`Warnings`, warnings)}
  ${isOpen ? html`<div data-module="posted" data-instead="${portfolioAddress(portfolio)}">${yes(csrf)}</div>` : html`<p>${back}</p>`}
  ${would && would.rows.length > 0 && changesPart(would)}
  ${problems.length > 0 && linesPart(isLook ? t`What would not be taken` : t`What was not taken`, problems)}`;
}

function changesPart({ rows, more }: NonNullable<UploadedDecisions['would']>): Html {
  const grantedOf = ({ granted }: { granted: string }) => amount(granted === '' ? undefined : granted);
  return panel({
    title: t`What would change`,
    body: html`${table({
      caption: t`The first rows that would change`,
      rows,
      columns: [
        { head: t`Buyer`, names: true, cell: ({ row, name }) => buyerOf(row, name) },
        {
          head: t`Requested`,
          kind: 'amount',
          cell: ({ requested, currency }) => money({ amount: requested, currency }),
        },
        { head: t`Status`, cell: ({ before, after }) => html`${statusOf(before)} → ${statusOf(after)}` },
        {
          head: t`Decided`,
          cell: ({ decided }) =>
            moment(decided === undefined ? undefined : Date.parse(decided), { none: t`counts as now` }),
        },
        { head: t`Granted before`, kind: 'amount', cell: ({ before }) => grantedOf(before) },
        { head: t`Granted after`, kind: 'amount', cell: ({ after }) => grantedOf(after) },
      ],
    })}${more > 0 && html`<p class="hint">And ${withNumbers(countWords(more, 'more row'))}.</p>`}`,
  });
}

function buyerOf(name: string, buyer: string): Html {
  const row = rowIdOf(name);
  return row ? html`<a href="${rowAddress(row)}">${theirWords(buyer || name)}</a>` : theirWords(buyer || name);
}

const statusOf = ({ status }: { status: string }) => (status === '' ? t`none` : theirWords(visible(status)));

function linesPart(title: string, lines: readonly AboutLine[]): Html {
  return panel({
    title,
    body: html`${table({
      caption: title,
      rows: lines.slice(0, MOST_SHOWN),
      columns: [
        { head: t`Line of the file`, kind: 'number', cell: ({ at }) => at },
        {
          head: t`Why`,
          names: true,
          cell: ({ message, portfolio }) =>
            html`<bdi>${withNumbers(cutWords(onPage(message)))}</bdi>${portfolio !== undefined && html` <a href="${portfolioAddress(portfolio)}"><bdi>${portfolio}</bdi></a>`}`,
        },
      ],
    })}${lines.length > MOST_SHOWN && html`<p class="hint">And ${count(lines.length - MOST_SHOWN)} more.</p>`}`,
  });
}

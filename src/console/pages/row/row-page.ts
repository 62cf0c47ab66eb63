import type { SessionsAskable } from '../../../ledger/calls/sessions.ts';
import type { PortfolioSupplier } from '../../../ledger/portfolios/portfolio.ts';
import { answeredOtherwise } from '../../../ledger/schema/row.ts';
import { type RowId, rowIdOf } from '../../../ledger/schema/schema.ts';
import type { RowFilter } from '../../../ledger/search/row-filter.ts';
import type { RowOrder } from '../../../ledger/search/row-order.ts';
import type { RowStory, StoryCall, ToldRow } from '../../../ledger/story/row-story.ts';
import { capitalized } from '../../../sentence.ts';
import { type Meanings, statusMeaningOf } from '../../../status-meaning.ts';
import { can, type Rights } from '../../access/access.ts';
import { type Html, type HtmlValue, html, t, translated } from '../../html/html.ts';
import { notice, pageHead, panel, table } from '../../parts/blocks.ts';
import { facts, rowBadge, stateBadge } from '../../parts/figures.ts';
import { linkButton } from '../../parts/form.ts';
import { advice, moment, money, plainCause, theirWords } from '../../parts/text.ts';
import { approvalAddress, buyerAddress, eventAddress, portfolioAddress, rowAddress } from '../addresses.ts';
import type { WhoMay } from '../who-may.ts';
import { rowActions, sessionsPart } from './row-actions.ts';
import { BY_PERSON, type Happening, recordWords, spanWords, timelineOf } from './timeline.ts';

/** The keys of the rows before and after (`behind`) a row in a list. */
export type Beside = { before?: string | undefined; behind?: string | undefined };

/** The page of a row: outcome, timeline, line of the file, calls, and the buyer's other requests. */
export function rowPage(
  given: ToldRow & {
    did: string | undefined;
    csrf: string;
    rights: Rights;
    who: WhoMay;
    meanings: Meanings;
    asks: SessionsAskable;
    list: { filter: RowFilter; order: RowOrder };
    beside: Beside;
  },
): Html {
  const { story, line, did, csrf, rights, who, meanings, asks, list, beside } = given;
  const { row, result, imports } = story;
  const known = imports.get(result.importId);
  const number = imports.size > 1 && known && t` (import ${known.number})`;
  const file = known ? html`${theirWords(known.fileName)}${number}` : t`a file that is not known`;
  return html`${pageHead({
    title: theirWords(result.request.name),
    trail: [
      { href: '/', words: t`Portfolios` },
      { href: portfolioAddress(row.portfolio, list.filter, { order: list.order }), words: row.portfolio },
    ],
    lead: html`${rowBadge(result, meanings)} Line ${result.line} of ${file}, ${money({ amount: result.request.limit.requested_limit, currency: known?.found?.currency })} requested`,
    actions: besideLinks(row, { list, beside }),
  })}
  ${did !== undefined && notice('good', did)}
  <div class="row-page">
    <div class="stack">
      ${panel({ title: t`Result`, body: html`${outcomeOf(story, meanings)}${rowActions(story, { csrf, rights, who })}` })}
      ${sessionsPart(story, { csrf, rights, meanings, asks, nowMs: Date.now() })}
      ${panel({ title: t`What happened`, body: timelinePart(timelineOf(story), { row, rights }) })}
      ${panel({ title: t`Sent to the service`, body: callsPart(story) })}
    </div>
    <div class="stack row-page-side">
      ${panel({ title: t`The line of the file`, body: linePart({ line, story }, rights) })}
      ${panel({ title: t`Limits of this buyer`, body: limitsOf(story) })}
      ${panel({ title: t`Other requests of this buyer`, body: html`${othersOf(story, meanings)}<p><a href="${buyerAddress(result.request.buyer)}">All of this buyer</a></p>` })}
    </div>
  </div>`;
}

function besideLinks(
  { portfolio }: RowId,
  { list, beside }: { list: { filter: RowFilter; order: RowOrder }; beside: Beside },
): Html {
  const link = (key: string | undefined, words: string) =>
    key !== undefined &&
    linkButton({
      href: rowAddress({ portfolio, key }, list),
      words,
      kind: 'quiet',
      label: t`${words} row of the list`,
    });
  return html`<nav class="actions" aria-label="Rows of the list">${link(beside.before, t`Previous`)}${link(beside.behind, t`Next`)}</nav>`;
}

function outcomeOf(story: RowStory, meanings: Meanings): Html {
  const { row, result, imports, supplier, supplierAwaits } = story;
  const currency = imports.get(result.importId)?.found?.currency;
  const { problem, companyId, documentIds, limitId, record, request, again, step } = result;
  const company = companyId || (request.companyId ?? '');
  const isApproved = statusMeaningOf(record.status, meanings) === 'approved';
  return html`${
    problem &&
    html`<div class="row-outcome"><p>${advice(plainCause(problem.message))}</p>${problem.body !== undefined && problem.body !== '' && rawAnswer(problem.body, t`What the service said`)}</div>`
  }
  ${hasNamedCompany(story) && notice('warn', t`A person named this company’s id. If it is wrong, add a column “company_id” with the right id to the file to correct.`)}
  ${again && notice('bad', t`This was made twice at the service: ${again.id} and ${again.again}. Ask the service to withdraw one.`)}
  ${record.differs && notice('warn', answeredOtherwise(record))}
  ${record.besides && html`<p class="hint">The answer also has: <code>${record.besides}</code></p>`}
  ${facts([
    ...(limitId === '' ? [{ term: t`Step`, what: translated(step) }] : []),
    ...(limitId === '' ? [] : [{ term: t`Limit`, what: html`<code>${limitId}</code>` }]),
    ...decisionFacts(story),
    ...(record.status === undefined ? [] : [{ term: t`Status`, what: record.status }]),
    ...(record.total_limit === undefined
      ? []
      : [
          {
            term: isApproved ? t`Granted` : t`Total limit named`,
            what: money({ amount: record.total_limit, currency }),
          },
        ]),
    ...(record.available_limit === undefined
      ? []
      : [
          {
            term: isApproved ? t`Available` : t`Available limit named`,
            what: money({ amount: record.available_limit, currency }),
          },
        ]),
    ...(company === '' ? [] : [{ term: t`Company`, what: html`<code>${company}</code>` }]),
    ...(supplier ? [{ term: t`Supplier of the portfolio now`, what: supplierWords(supplier, supplierAwaits) }] : []),
    ...(documentIds.length === 0
      ? []
      : [{ term: t`Documents`, what: documentIds.map((id) => html`<code>${id}</code> `) }]),
    { term: t`Row`, what: html`<code>${row.portfolio}/${row.key}</code>` },
    { term: t`In this state since`, what: moment(result.sinceMs) },
  ])}`;
}

/** Whether the service refused the limit of a company whose id a person named: sending it again cannot help if that id is wrong. */
function hasNamedCompany({ calls, result: { state, step, request } }: RowStory): boolean {
  if (state !== 'refused' || step !== 'limit' || request.companyId !== undefined) return false;
  return calls.some(({ kind, known }) => kind === 'company' && known?.by === BY_PERSON);
}

/** For a limit that was decided later: the service's first answer, and the decision with its time, who brought it in, and the file. */
function decisionFacts({ calls, result: { record } }: RowStory): { term: string; what: HtmlValue }[] {
  const { answered, decided } = calls.find(({ kind }) => kind === 'limit')?.known ?? {};
  if (!decided || record.decided_at === undefined) return [];
  return [
    ...(answered ? [{ term: t`Answered at first`, what: recordWords(answered) }] : []),
    {
      term: t`Decided later`,
      what: html`${recordWords(record)}, on ${moment(Date.parse(decided.said?.decided_at ?? record.decided_at))}, as ${decided.by} brought in with ${theirWords(decided.file)}`,
    },
  ];
}

/**
 * The supplier that the portfolio has now, which may differ from that of the limit: its name and the id of its company, or its
 * state if it has none yet.
 */
export function supplierWords({ body, id, problem }: PortfolioSupplier, awaits: boolean): Html {
  const name = body === undefined ? '' : html`${theirWords(String(body.name))}, `;
  if (awaits) return html`${name}${id !== undefined && html`<code>${id}</code>, `}once it is approved`;
  if (id !== undefined) return html`${name}<code>${id}</code>`;
  return html`${name}${problem === undefined ? t`not created yet` : t`not created: the portfolio’s page says why`}`;
}

/**
 * The cells of the row's line. For a line that takes long to find, mostly one far down in a long file, the page has a link, and the browser's
 * module `late` loads the cells.
 */
export function linePart({ line, story }: ToldRow, rights: Rights): Html {
  const { row, result, imports } = story;
  const known = imports.get(result.importId);
  const original = `/portfolios/${encodeURIComponent(row.portfolio)}/downloads/original?import=${result.importId}`;
  const mayHave = can(rights, 'GET /portfolios/:name/downloads/:file');
  switch (line.is) {
    case 'read':
      return html`<dl class="facts">${line.cells
        .filter(({ cell }) => cell.trim() !== '')
        .map(
          ({ column, meaning, cell }) =>
            html`<div><dt>${column}${meaning !== null && meaning !== column && html` <span class="hint">${meaning}</span>`}</dt><dd>${cell}</dd></div>`,
        )}</dl>
      ${known && html`<p class="hint">Empty cells are not shown.${mayHave && html` <a href="${original}">The whole file</a>`}</p>`}`;
    case 'far':
      return html`<div data-module="late"><p>Line ${result.line} was not found at once. <a href="${rowAddress(row)}?line=yes">Find it</a>${mayHave && html`, or download <a href="${original}">the whole file</a>`}.</p></div>`;
    case 'gone':
      return html`<p>The copy of this file was deleted, or has no such line. What was read of it is under “Sent to the service”.</p>`;
  }
}

function limitsOf({ buyerLimits, result }: RowStory): Html {
  if (buyerLimits.length === 0) return html`<p class="quiet">None known.</p>`;
  return html`<ul class="ids">${buyerLimits
    .toReversed()
    .map(
      (id) => html`<li><code>${id}</code>${id === result.limitId && html` <span class="hint">by this row</span>`}</li>`,
    )}</ul>`;
}

function othersOf({ others }: RowStory, meanings: Meanings): Html {
  if (others.rows.length === 0) return html`<p class="quiet">None.</p>`;
  const more = others.count - 1 - others.rows.length;
  return html`${table({
    caption: t`Its other requests`,
    rows: others.rows,
    columns: [
      {
        head: t`Portfolio`,
        names: true,
        cell: ({ row, line }) => html`<a href="${rowAddress(row)}">${row.portfolio}, line ${line}</a>`,
      },
      {
        head: t`Outcome`,
        cell: ({ state, answered }) => (answered ? rowBadge(answered, meanings) : stateBadge(state)),
      },
      { head: t`Requested`, kind: 'amount', cell: ({ amount, currency }) => money({ amount, currency }) },
    ],
  })}
  ${more > 0 && html`<p class="hint">And ${more} more.</p>`}`;
}

/** The shapes for the kinds of timeline entries, as SVG paths: colour is not the only sign of a kind. */
const SHAPES: Readonly<Record<Happening['kind'], string>> = {
  plain: 'M8 5.5a2.5 2.5 0 1 0 .01 0',
  bad: 'M4 4l8 8M12 4l-8 8',
  doubt: 'M5.5 3.5v9M10.5 3.5v9',
  person: 'M8 2.5a2.7 2.7 0 1 0 .01 0M2.8 13.5c.6-3 2.5-4.3 5.2-4.3s4.6 1.3 5.2 4.3',
};

/**
 * The timeline of a row; times in UTC, to the millisecond.
 *
 * @param given.rights of the person, who is shown links only to what they may see
 */
function timelinePart(happened: readonly Happening[], { row, rights }: { row: RowId; rights: Rights }): Html {
  let day = '';
  return html`<ol class="timeline">${happened.map(({ atMs, kind, words, detail, otherRow, event, approval }) => {
    const iso = new Date(atMs).toISOString();
    const isNew = iso.slice(0, 10) !== day;
    day = iso.slice(0, 10);
    return html`<li class="${['happening', `is-${kind}`]}">
      <time datetime="${iso}" data-local="clock">${isNew && html`<span class="day">${day}</span> `}${iso.slice(11, 23)}</time>
      <svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d="${SHAPES[kind]}"/></svg>
      <div><p>${words}${otherRow !== undefined && html` <a href="${rowAddress({ ...row, key: otherRow })}">That row</a>`}${event !== undefined && can(rights, 'GET /service-events/:id') && html` <a href="${eventAddress(event)}">As it came</a>`}${approval !== undefined && can(rights, 'GET /approvals/:id') && html` <a href="${approvalAddress(approval)}">The approval</a>`}</p>
      ${detail !== undefined && (kind === 'doubt' || kind === 'bad' ? rawAnswer(detail, t`As it came`) : html`<pre class="answer" tabindex="0" aria-label="As it came">${detail}</pre>`)}</div>
    </li>`;
  })}</ol>
  <p class="hint"><span data-utc>Times are UTC. </span>Of refusals, answers by people and other unusual events, only the last 50 are kept. Long texts are cut.</p>`;
}

/** A text of the service as it came, folded, since it is written for machines. */
function rawAnswer(text: string, label: string): Html {
  return html`<details><summary>${label}</summary><pre class="answer" tabindex="0" aria-label="${label}">${text}</pre></details>`;
}

/** Each call of a row: its body, what is known of it, and its answer. */
function callsPart({ calls, result, entries }: RowStory): Html {
  const refused = new Set(entries.flatMap((entry) => (entry.is === 'refused' ? [entry.kind] : [])));
  return html`${result.request.companyId !== undefined && html`<p class="hint">The line gives the company's id, <code>${result.request.companyId}</code>, so no company is made.</p>`}
    ${calls.map((call) => callPart(call, refused.has(call.kind)))}`;
}

function callPart(call: StoryCall, wasRefused: boolean): Html {
  const { what, sent, known, madeFor } = call;
  const other = madeFor === undefined ? undefined : rowIdOf(madeFor);
  return html`<section class="call" aria-label="${what}">
    <h3>${capitalized(what)} <span class="hint">${wordsOf(call, wasRefused)}</span></h3>
    ${
      known &&
      facts([
        {
          term: t`Noted before it was sent`,
          what: html`${moment(known.atMs)}${known.sends > 1 && t`, ${known.sends} times in all`}`,
        },
        ...(known.supplier === ''
          ? []
          : [{ term: t`Supplier when it was sent`, what: html`<code>${known.supplier}</code>` }]),
        ...(known.state === 'made' && known.tookMs !== undefined
          ? [{ term: t`Answered after`, what: spanWords(known.tookMs) }]
          : []),
        ...(known.id === '' ? [] : [{ term: t`Id`, what: html`<code>${known.id}</code>` }]),
        ...Object.entries(known.answered ?? known.record).map(([name, value]) => ({ term: name, what: value })),
        ...(known.again === '' ? [] : [{ term: t`Made twice`, what: html`<code>${known.again}</code>` }]),
        ...(madeFor === undefined
          ? []
          : [{ term: t`Sent for`, what: other ? html`<a href="${rowAddress(other)}">${madeFor}</a>` : madeFor }]),
        ...(known.by === '' ? [] : [{ term: t`Known by`, what: known.by }]),
        ...(known.heard === '' ? [] : [{ term: t`Heard instead of an answer`, what: advice(plainCause(known.heard)) }]),
      ])
    }
    <details><summary>${madeFor !== undefined ? t`What this row asks for` : known || wasRefused ? t`What was sent` : t`What is sent`}</summary><pre class="answer" tabindex="0" aria-label="Body of ${what}">${sent}</pre></details>
  </section>`;
}

function wordsOf({ known, madeFor }: StoryCall, wasRefused: boolean): string {
  switch (known?.state) {
    case 'made':
      return madeFor === undefined ? t`made` : t`made, for another row`;
    case 'claimed':
      return t`being sent`;
    case 'unknown':
      return t`result unknown`;
    case 'free':
      return t`not made yet`;
    default:
      return wasRefused ? t`rejected` : t`not sent yet`;
  }
}

import { KINDS } from '../../../call-kind.ts';
import type { HostedSession, SessionsAskable } from '../../../ledger/calls/sessions.ts';
import { isDeclinedLimit, stateWords } from '../../../ledger/counts/row-outcome.ts';
import { type HeldRow, heldName } from '../../../ledger/rows/story.ts';
import { is } from '../../../ledger/schema/row.ts';
import type { RowId } from '../../../ledger/schema/schema.ts';
import type { RowStory } from '../../../ledger/story/row-story.ts';
import type { Meanings } from '../../../status-meaning.ts';
import { can, type Rights } from '../../access/access.ts';
import { type Html, type HtmlValue, html, NOTHING, t, translated } from '../../html/html.ts';
import { notice, panel } from '../../parts/blocks.ts';
import { facts } from '../../parts/figures.ts';
import { actionButton, button, field, form, hidden } from '../../parts/form.ts';
import { amount, commandLine, moment, shellWord, theirWords } from '../../parts/text.ts';
import { approvalAddress, rowAddress } from '../addresses.ts';
import { mayWords, type WhoMay } from '../who-may.ts';
import { spanWords } from './timeline.ts';

/** The actions that a row's state allows, each with the command that does the same. */
export function rowActions(
  { row, result, others }: Pick<RowStory, 'row' | 'result' | 'others'>,
  { csrf, rights, who }: { csrf: string; rights: Rights; who: WhoMay },
): Html {
  const mayRetry = can(rights, 'POST /portfolios/:name/rows/:key/retry');
  const command = `npx limitline retry ${shellWord(row.portfolio)}`;
  // The form names the state that the person saw, and since when. If the row has changed by the time of the answer, it is not sent again.
  const again = {
    action: `${rowAddress(row)}/retry`,
    csrf,
    fields: { state: result.state, seen: String(result.sinceMs) },
  };
  switch (result.state) {
    case 'refused':
      if (!mayRetry) return html`<p class="hint">${mayWords(who.own, t`send it again`)}</p>`;
      return html`${besidesNotice(row, others)}${actionButton({
        ...again,
        words: t`Send this row again`,
        kind: 'primary',
        command: `${command} --row ${shellWord(row.key)}`,
      })}`;
    case 'cancelled':
      if (result.replaced)
        return html`<p class="hint">Another line took its place, or a later file has no valid line for it. Import its own line to bring it back.</p>`;
      if (!mayRetry) return html`<p class="hint">${mayWords(who.own, t`send it again`)}</p>`;
      return html`${besidesNotice(row, others)}${actionButton({
        ...again,
        words: t`Send this row after all`,
        command: `${command} --state cancelled --row ${shellWord(row.key)}`,
      })}`;
    case 'held':
      if (!can(rights, 'POST /held/plan'))
        return html`<p class="hint">Somebody has to say what became of the row’s call before anything is sent again. ${mayWords(who.operate, t`do that`)}</p>`;
      return resolveForms({ row, step: result.step, atMs: result.updatedMs, csrf });
    case 'awaiting':
      return waitingPart(result);
    default:
      return NOTHING;
  }
}

/** Says that the buyer has another request, made or to be sent, so that this row would lead to a second limit; nothing if it has none. */
function besidesNotice({ key }: RowId, { rows }: RowStory['others']): HtmlValue {
  const other = rows.find(({ row, state }) => row.key !== key && state !== 'refused' && state !== 'cancelled');
  return (
    other &&
    notice(
      'warn',
      html`<a href="${rowAddress(other.row)}">${t`Line ${other.line} of portfolio ${other.row.portfolio}`}</a> (${amount(other.amount)}, ${translated(stateWords(other.state))}). Send this row only if both limits are meant.`,
      { title: t`A second limit would be requested: this buyer has another request.` },
    )
  );
}

/** Says for what a row in the state `awaiting` waits, and what happens once it is approved. */
function waitingPart({ approval, awaits }: RowStory['result']): Html {
  const answered = awaits?.answer === 'resend' ? t`that it was not made` : t`that it was made, ${awaits?.answer ?? ''}`;
  const words =
    awaits === undefined
      ? t`Nothing of this row is sent before another person has approved its import.`
      : awaits.was === 'held'
        ? t`Somebody answered for the row’s call ${answered}. Another person must approve this answer before anything is done.`
        : t`Somebody asked to send this row again; it was ${translated(stateWords(awaits.was))}. Another person must approve that first.`;
  const said = html`${words} ${approval !== undefined && html`<a href="${approvalAddress(approval)}">What waits</a>`}`;
  return notice('info', said, { title: t`Waits for approval.` });
}

/** The prefix of each step's ids, for the placeholder of the field. */
const BEGINNING = { company: KINDS.company.prefix, documents: '', limit: KINDS.limit.prefix } as const;

/** The two answers about a held row's call: it exists, with its id, or it was not made. Each leads to a plan to confirm. */
function resolveForms(given: HeldRow & { step: keyof typeof BEGINNING; csrf: string }): Html {
  const { row, step, csrf } = given;
  const shown = hidden('back', 'row');
  const action = '/held/plan';
  const begins = BEGINNING[step];
  const held = heldName(given);
  const command = `npx limitline resolve ${shellWord(row.portfolio)} --row ${shellWord(row.key)}`;
  return html`<div class="resolve">
    <div class="resolve-way">${form({
      action,
      csrf,
      class: 'inline-form',
      label: t`It exists`,
      body: html`${shown}${field({
        label: t`It exists, under the id`,
        name: `made-${held}`,
        id: `made-${row.key}`,
        required: true,
        plain: true,
        autocomplete: 'on',
        maxlength: 200,
        ...(begins === '' ? {} : { placeholder: `${begins}…` }),
      })}${button({ words: t`Confirm it exists…` })}`,
    })}${commandLine(`${command} --made ID`)}</div>
    <div class="resolve-way">${form({
      action,
      csrf,
      class: 'inline-form',
      label: t`It was not made`,
      body: html`${shown}${hidden('resend', 'yes')}${hidden(`pick-${held}`, 'yes')}${button({ words: t`It was not made: ask again…`, kind: 'danger' })}`,
    })}${commandLine(`${command} --resend`)}</div>
  </div>`;
}

const STATES: Readonly<Record<HostedSession['state'], string>> = {
  waits: t`waiting; limits are sent first`,
  sent: t`being sent`,
  made: t`made`,
  held: t`result unknown`,
  refused: t`rejected`,
  dropped: t`cancelled before it was sent`,
};

/** The advice on what a person does next, by the state of a limit's last session. */
const REMEDIES: Partial<typeof STATES> = {
  held: t`Ask the service’s people whether the session was made. A new one would be a second session.`,
  refused: t`Read the service’s answer. Once its reason is removed, request another session.`,
};

/**
 * The hosted sessions of a row's limit, and the button that asks for one. Nothing where there is no session
 * and the reader can ask for none.
 */
export function sessionsPart(
  { row, result, sessions }: Pick<RowStory, 'row' | 'result' | 'sessions'>,
  given: { csrf: string; rights: Rights; meanings: Meanings; asks: SessionsAskable; nowMs: number },
): Html {
  const { csrf, rights, meanings, asks, nowMs } = given;
  const [last] = sessions;
  const mayAsk =
    asks !== 'not described' &&
    is('isGranted', result.state) &&
    can(rights, 'POST /portfolios/:name/rows/:key/session');
  if (!last && !mayAsk) return NOTHING;
  const lacksSupplier = mayAsk && asks === 'no supplier';
  const isDeclined = isDeclinedLimit(result, meanings);
  const isNew = last?.state === 'made' || last?.state === 'held';
  const isOpen = last?.state === 'waits' || last?.state === 'sent';
  return panel({
    title: t`Hosted session`,
    body: html`<p class="hint">An operator has set up how this is requested: the service does not document it.</p>
      ${sessions.map((session) => sessionFacts(session, nowMs))}
      ${last && REMEDIES[last.state] && html`<p>${REMEDIES[last.state]}</p>`}
      ${lacksSupplier && html`<p>This portfolio has no supplier: import the file again with one.</p>`}
      ${mayAsk && !isOpen && isDeclined && html`<p>The service declined this limit.</p>`}
      ${
        mayAsk &&
        !isOpen &&
        !lacksSupplier &&
        actionButton({
          action: `${rowAddress(row)}/session`,
          csrf,
          words: isNew ? t`Request a new one` : isDeclined ? t`Request one all the same` : t`Request a hosted session`,
          // The form names the last session that the person saw: if a newer one exists, no further one is made, so pressing twice
          // makes one.
          ...(isNew || isDeclined ? { fields: { resend: String(last?.number ?? 0) } } : {}),
          command: `npx limitline sessions ${shellWord(row.portfolio)} --row ${shellWord(row.key)}${isNew || isDeclined ? ' --resend' : ''}`,
        })
      }`,
  });
}

function sessionFacts(session: HostedSession, nowMs: number): Html {
  const { number, state, by, askedMs, sentMs, sessionLink, sessionEnds, dropped, sessionHeard } = session;
  return facts([
    { term: t`Session ${number}`, what: dropped === '' ? STATES[state] : t`not sent: ${dropped}` },
    {
      term: t`Asked for`,
      what: askedMs === undefined ? t`not known: the link came from a results file` : html`${moment(askedMs)} by ${by}`,
    },
    ...(sentMs === undefined
      ? []
      : [{ term: t`Sent`, what: html`${moment(sentMs)}, ${spanWords(Math.max(0, nowMs - sentMs))} ago` }]),
    ...(sessionLink === '' ? [] : [{ term: t`Link`, what: html`<code>${sessionLink}</code>` }]),
    ...(sessionEnds === '' ? [] : [{ term: t`Ends, as the service says`, what: theirWords(sessionEnds) }]),
    ...(sessionHeard === '' ? [] : [{ term: t`Answer without a link`, what: theirWords(sessionHeard) }]),
  ]);
}

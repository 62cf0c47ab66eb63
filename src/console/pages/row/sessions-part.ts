import type { HostedSession, SessionsAskable } from '../../../ledger/calls/sessions.ts';
import { isDeclinedLimit } from '../../../ledger/counts/row-outcome.ts';
import { is } from '../../../ledger/schema/row.ts';
import type { RowStory } from '../../../ledger/story/row-story.ts';
import type { Meanings } from '../../../status-meaning.ts';
import { can, type Rights } from '../../access/access.ts';
import { type Html, html, NOTHING } from '../../html/html.ts';
import { t } from '../../html/texts.ts';
import { facts } from '../../parts/figures.ts';
import { actionButton } from '../../parts/form.ts';
import { panel } from '../../parts/page-head.ts';
import { moment, shellWord, theirWords } from '../../parts/text.ts';
import { rowAddress } from '../addresses.ts';
import { spanWords } from './timeline.ts';

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
      what: askedMs === undefined ? t`not known: its link came from a results file` : html`${moment(askedMs)} by ${by}`,
    },
    ...(sentMs === undefined
      ? []
      : [{ term: t`Sent`, what: html`${moment(sentMs)}, ${spanWords(Math.max(0, nowMs - sentMs))} ago` }]),
    ...(sessionLink === '' ? [] : [{ term: t`Link`, what: html`<code>${sessionLink}</code>` }]),
    ...(sessionEnds === '' ? [] : [{ term: t`Ends, as the service says`, what: theirWords(sessionEnds) }]),
    ...(sessionHeard === '' ? [] : [{ term: t`Answer without a link`, what: theirWords(sessionHeard) }]),
  ]);
}

import { isPortfolioName } from '../../../ledger/schema/schema.ts';
import { controlTotalFault } from '../../../portfolio/control-total.ts';
import { authorsWith, type PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import { FINANCE, OWN_OR_OPERATOR } from '../../access/access.ts';
import { formFieldsOf } from '../../actions/add-action.ts';
import { ConsoleError } from '../../console-app.ts';
import { t } from '../../html/html.ts';
import type { Kinds, Posted } from '../page.ts';
import { confirmView, removalView } from './confirm-view.ts';
import type { NewPageFunctions } from './draft-actions.ts';
import { aboutDraft, CHANGED, COPY_LIMIT_MS, previewOf, settledPreview } from './draft-actions.ts';
import { saysOtherwise } from './read-reading.ts';
import { mixedCurrencies, NO_ROWS, neededApproval, SENT_FIRST } from './submit-view.ts';

/** How long the page waits for an import: a small one ends within this time, so that its portfolio is shown at once. */
const PATIENCE_MS = 1_500;

/** The actions that end an upload: its import, with the question before it, and its removal. */
export function endingActions({ get, post }: Kinds<NewPageFunctions>) {
  return [
    get('/new/:id/remove', {
      may: FINANCE,
      show: async ({ reply, params: { id = '' }, given }) => {
        const draft = await given.read(id);
        return {
          title: t`Remove ${draft.name}?`,
          body: removalView(draft, { seen: seenOf(draft, given), csrf: reply.csrf() }),
        };
      },
    }),
    post('/new/:id/remove', {
      may: FINANCE,
      action: 'remove',
      about: aboutDraft,
      handle: async ({ reply, params: { id = '' }, fields, given }) => {
        const now = seenOf(await given.read(id), given);
        if ((fields.seen ?? now) !== now) throw new ConsoleError(409, CHANGED);
        await given.remove(id);
        return reply.redirect('/new', 303);
      },
    }),
    post('/new/:id/confirm', {
      may: FINANCE,
      action: 'import',
      audited: false,
      handle: async ({ request, reply, params: { id = '' }, fields, given }) => {
        const draft = await given.read(id);
        if (given.digest(draft) !== fields.of) throw new ConsoleError(409, CHANGED);
        const state = await settledPreview(draft, given);
        if (state.is !== 'there') throw new ConsoleError(409, READ_AGAIN);
        const { preview } = state;
        const { total, first } = await chosenOf(fields, draft, given);
        const policy = await given.approvalPolicy();
        const { requested } = preview.dryRun;
        const over = await given.personOver(authorsWith(draft, request.person.by), requested, policy);
        const isThere = (await given.portfolioNames()).includes(draft.portfolio);
        const there = isThere ? await given.whatIsThere(draft.portfolio) : undefined;
        const mixed = mixedCurrencies(preview, there?.currencies);
        const approval = preview.dryRun.limits > 0 && neededApproval(policy, { dryRun: preview.dryRun, there, over });
        const chosen = {
          of: preview.of,
          total,
          first,
          isReplaced: fields.replace === 'yes',
          unsaved: Number(fields.unsaved) || 0,
        };
        return {
          title: t`Import ${draft.name}?`,
          body: confirmView(draft, { preview, chosen, mixed, approval, csrf: reply.csrf() }),
        };
      },
    }),
    post('/new/:id/submit', {
      // An import that replaces earlier rows needs more rights: it cancels rows that others may have imported.
      may: { ...FINANCE, kinds: { replace: OWN_OR_OPERATOR } },
      action: 'import',
      limitMs: COPY_LIMIT_MS,
      says: ['of', 'replace', 'first', 'total'],
      // The address of this action does not name the portfolio; the draft does, and the preview that the person confirms is for it.
      about: async (asked) => {
        const found = await aboutDraft(asked);
        return { ...found, ...(formFieldsOf(asked.request.body).replace === 'yes' ? { kind: 'replace' } : {}) };
      },
      handle: async ({ request, reply, actor, params: { id = '' }, fields, tell, given }) => {
        // The import goes into the portfolio that the access check saw, since another tab may have renamed the draft's portfolio meanwhile.
        const { portfolio = '' } = request.about ?? {};
        if (!isPortfolioName(portfolio)) throw new ConsoleError(422, t`Give the portfolio a name first.`);
        const draft = await given.read(id);
        const { total, first } = await chosenOf(fields, draft, given);
        const begun = await given.submit(id, {
          of: fields.of ?? '',
          portfolio,
          replace: fields.replace === 'yes',
          by: actor.name,
          total,
          first,
        });
        if ('conflict' in begun) throw new ConsoleError(409, begun.conflict);
        const until = Date.now() + PATIENCE_MS;
        while (given.progress(id) && Date.now() < until && !reply.raw.destroyed) {
          await new Promise((done) => setTimeout(done, 40));
        }
        const { ended } = (await given.read(id)).submitted ?? {};
        if (ended && ended.faults.length > 0) tell({ became: 'nothing imported', why: ended.faults });
        return reply.redirect(`/new/${id}/import`, 303);
      },
    }),
  ];
}

/** A text that identifies the upload as its removal page showed it; it differs once the upload was corrected or submitted meanwhile. */
function seenOf(draft: PortfolioDraft, given: NewPageFunctions): string {
  return `${given.digest(draft)} ${draft.submitted?.beganMs ?? ''}`;
}

/**
 * The control total and the number of rows to send first, as the form states them.
 *
 * @throws ConsoleError where it cannot be read, or differs from what was applied
 */
async function chosenOf(fields: Posted<NewPageFunctions>['fields'], draft: PortfolioDraft, given: NewPageFunctions) {
  if (fields.first !== undefined && fields.first !== String(SENT_FIRST)) {
    throw new ConsoleError(422, t`The number of rows has changed: load the page again.`);
  }
  const total = fields.total?.trim() || undefined;
  const fault = total && controlTotalFault(total);
  if (fault) throw new ConsoleError(422, t`The control total cannot be read. ${fault}`);
  const preview = await previewOf(draft, given);
  if (preview?.counts.rows === 0) throw new ConsoleError(422, NO_ROWS);
  if (saysOtherwise(fields, draft, preview)) throw new ConsoleError(422, NOT_APPLIED);
  return { total, first: fields.first === undefined ? undefined : SENT_FIRST };
}

const READ_AGAIN = t`The file is being read again, since other requests may be made by now. Load the page again in a moment.`;

const NOT_APPLIED = t`Nothing was sent: the page has changes that are not applied yet. Go back, and press “Apply” or “Check for this portfolio” first.`;

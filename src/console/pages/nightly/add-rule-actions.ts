import { LimitlineError } from '../../../errors.ts';
import { addAction } from '../../actions/add-action.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { ConsoleError } from '../../server/console-error.ts';
import type { RuleFunctions } from './rules-view.ts';

/** `POST /nightly/rules` makes a rule in the name of who asks for it, `POST /nightly/rules/:id/remove` removes one. */
export function addRuleActions(app: ConsoleApp, { add, remove }: Pick<RuleFunctions, 'add' | 'remove'>): void {
  addAction(app, {
    url: '/nightly/rules',
    action: 'add rule',
    // Not the words, which may be anybody's.
    says: ['cause', 'step', 'status', 'portfolio', 'nights'],
    handle: async ({ fields, actor, reply, tell }) => {
      try {
        tell({ rule: await add(fields, actor.name) });
      } catch (error) {
        if (!(error instanceof LimitlineError)) throw error;
        tell({ refused: true });
        throw new ConsoleError(422, `No rule was made. ${error.message}`, { cause: error });
      }
      return reply.redirect('/nightly?rule=added#sent-again-at-night-title', 303);
    },
  });
  addAction(app, {
    url: '/nightly/rules/:id/remove',
    action: 'remove rule',
    handle: async ({ params: { id = '' }, reply }) => {
      if (!(await remove(id))) throw new ConsoleError(404, 'There is no such rule, or not any more.');
      return reply.redirect('/nightly?rule=removed#sent-again-at-night-title', 303);
    },
  });
}

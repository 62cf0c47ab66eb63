import { AsyncLocalStorage } from 'node:async_hooks';
import { CONSOLE_ACTOR } from '../../actor.ts';
import type { Query } from '../../ledger/search/row-filter.ts';
import { type Person, ROLES } from '../../people/person.ts';
import { isMasked } from '../access/rules.ts';
import type { ConsoleApp } from '../console-app.ts';

/** A request, whose `person` is set once it is let in; or the console itself. */
type Looker = { readonly person: Person };

const looking = new AsyncLocalStorage<Looker>();

/**
 * Keeps the request for all that runs while it is answered, such as the repeated reads of an event stream. So the masked view
 * (masked-view.ts) knows the person without each page passing them on.
 * Call this before hooks that ask pages for data. It needs two hooks, since events of the body's stream lose the first one's
 * context.
 */
export function rememberWhoLooks(app: ConsoleApp): void {
  app.addHook('onRequest', (request, _reply, done) => looking.run(request, done));
  app.addHook('preHandler', (request, _reply, done) => looking.run(request, done));
}

/** Whether personal data is masked for the person who asks; true where nobody is known. */
export function looksMasked(): boolean {
  const looker = looking.getStore();
  return looker === undefined || isMasked(looker.person);
}

/**
 * A query of rows without the search in problems, for people who see problems masked: its results would reveal their text letter by
 * letter.
 */
export function askable(query: Query): Query {
  return looksMasked() ? { ...query, problem: undefined } : query;
}

/** Runs `act` as the console itself, for work that no person asked for, such as the console's shutdown. */
export function asConsole<T>(act: () => T): T {
  return looking.run({ person: { by: CONSOLE_ACTOR, roles: ROLES } }, act);
}

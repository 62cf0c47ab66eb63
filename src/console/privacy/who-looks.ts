import { AsyncLocalStorage } from 'node:async_hooks';
import { CONSOLE_ACTOR } from '../../actor.ts';
import { type Person, ROLES } from '../../people/person.ts';
import type { ConsoleApp } from '../console-app.ts';
import { isMasked } from './is-masked.ts';

/** A request, of whom it is known who asks once it is let in; or the console itself. */
type Looker = { readonly person: Person };

const looking = new AsyncLocalStorage<Looker>();

/**
 * Remembers who asks for as long as a request is answered, and whatever it begins, such as a frame that is read again and again
 * for its watchers. So the masked view (masked-view.ts) needs not be told by each page, and none can forget it.
 *
 * To be called before other hooks ask pages for anything. Twice a request: what a body's events begin has forgotten it.
 */
export function rememberWhoLooks(app: ConsoleApp): void {
  app.addHook('onRequest', (request, _reply, done) => looking.run(request, done));
  app.addHook('preHandler', (request, _reply, done) => looking.run(request, done));
}

/** Whether personal data is masked for whoever asks. Where nobody is known, it is. */
export function looksMasked(): boolean {
  const looker = looking.getStore();
  return looker === undefined || isMasked(looker.person);
}

/** Does something for the console itself, which nobody asked for, such as to end in good order. */
export function asConsole<T>(act: () => T): T {
  return looking.run({ person: { by: CONSOLE_ACTOR, roles: ROLES } }, act);
}

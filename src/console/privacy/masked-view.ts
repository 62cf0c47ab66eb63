import { AsyncLocalStorage } from 'node:async_hooks';
import { Writable } from 'node:stream';
import { CONSOLE_ACTOR } from '../../actor.ts';
import type { Query } from '../../ledger/search/row-filter.ts';
import { type Person, ROLES } from '../../people/person.ts';
import { isMasked } from '../access/access.ts';
import { type ConsoleApp, ConsoleError } from '../console-app.ts';
import { t } from '../html/html.ts';
import { masked } from './mask.ts';

/**
 * Wraps the functions of pages, so that their answers are masked (mask.ts) while a person asks who must not see personal data. For
 * such a person, a function that answers with a stream or writes to one rejects. All data reaches pages through here, so a new page
 * is masked by default.
 *
 * @param functions by page: functions, plain objects of them, and values; instances of classes pass unchanged
 * @param given.ours pages without buyers' data, which pass unchanged
 * @param given.asItIs pages that show files unmasked, whose functions reject for such a person
 */
export function maskedView<T extends object>(
  functions: T,
  { ours, asItIs }: { ours: readonly (keyof T)[]; asItIs: readonly (keyof T)[] },
): T {
  const pages = Object.entries(functions).map(([name, given]) => {
    const page = name as keyof T;
    if (ours.includes(page)) return [name, given];
    return [name, view(given, asItIs.includes(page) ? kept : answered)];
  });
  return Object.fromEntries(pages) as T;
}

type AnyFunction = (...args: readonly unknown[]) => unknown;

/** How a page's function is called for a person for whom personal data is masked. */
type Way = (act: AnyFunction, args: readonly unknown[]) => unknown;

function view(value: unknown, way: Way): unknown {
  if (typeof value === 'function') {
    const act = value as AnyFunction;
    return (...args: readonly unknown[]) => (looksMasked() ? way(act, args) : act(...args));
  }
  if (Array.isArray(value)) return value.map((one) => view(one, way));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, view(one, way)]));
}

const answered: Way = (act, args) => {
  if (args.some((arg) => arg instanceof Writable)) return Promise.reject(notForViewers());
  const answer = act(...args);
  return answer instanceof Promise ? answer.then(answerFor) : answerFor(answer);
};

const kept: Way = () => Promise.reject(notForViewers());

function answerFor(answer: unknown): unknown {
  try {
    return masked(answer);
  } catch (error) {
    if (error instanceof TypeError) throw notForViewers();
    throw error;
  }
}

function notForViewers(): ConsoleError {
  const message = t`This page has personal data that is not masked, so viewers may not see it. Ask somebody who works with rows, or an admin for another role.`;
  return new ConsoleError(403, message);
}

/** A request, whose `person` is set once it is let in; or the console itself. */
type Looker = { readonly person: Person };

const looking = new AsyncLocalStorage<Looker>();

/**
 * Keeps the request for all that runs while it is answered, such as the repeated reads of an event stream. So {@link maskedView} knows the
 * person, and no page has to pass the person on. Call this before hooks that read data of pages. It adds two hooks, since the context of
 * the first is lost once a request's body is read.
 */
export function rememberWhoLooks(app: ConsoleApp): void {
  app.addHook('onRequest', (request, _reply, done) => looking.run(request, done));
  app.addHook('preHandler', (request, _reply, done) => looking.run(request, done));
}

/** Whether personal data is masked for the person who asks; true if no request, and so no person, is known. */
export function looksMasked(): boolean {
  const looker = looking.getStore();
  return looker === undefined || isMasked(looker.person);
}

/**
 * A query of rows without the search in problems, for people who see problems masked: its results would reveal their text letter by letter.
 */
export function askable(query: Query): Query {
  return looksMasked() ? { ...query, problem: undefined } : query;
}

/** Runs `act` as the console itself, for work that no person asked for, such as the console's shutdown. */
export function asConsole<T>(act: () => T): T {
  return looking.run({ person: { by: CONSOLE_ACTOR, roles: ROLES } }, act);
}

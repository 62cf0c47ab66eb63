import { Writable } from 'node:stream';
import { ConsoleError } from '../console-app.ts';
import { masked } from './mask.ts';
import { looksMasked } from './who-looks.ts';

/**
 * What pages are handed, so that whoever is not to see personal data is not handed it: each function's answer is masked
 * (mask.ts) while such a person asks, and one that answers by a stream, or writes to one, rejects. It is the one place through
 * which data passes to pages, so a new page is right without knowing of it.
 *
 * @param functions by page: functions, plain objects of them, and values; what is of a class is handed on as it is
 * @param given.ours pages that show nothing of buyers, but people of ours, and machines: they are handed all
 * @param given.asItIs pages on which files are shown as they are, which cannot be masked: they reject
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

/** What a function does while somebody asks for whom personal data is masked. */
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
  return new ConsoleError(
    403,
    'This holds personal data as it is, which viewers are not shown. Ask somebody who works with rows, or an admin for another role.',
  );
}

import { format } from 'node:util';
import { type TestFunction, test } from 'vitest';

type Scenario = () => Promise<void>;
type Values<T> = T extends readonly unknown[] ? [...T] : [T];
type Tasks = readonly { name: string; mode: string; tasks?: Tasks }[];

/**
 * A `test` for scenarios that mostly wait. The first test starts the scenarios of all of them beside each other, and waits until they have
 * ended, since what they opened is closed with it. Each further test only asks how its own ended. So no scenario may replace what another
 * uses, and none may measure how quick the product is.
 *
 * @param declare what declares a test to vitest
 */
export function testsBeside(declare: (title: string, run: TestFunction) => void = test) {
  const scenarios = new Map<string, Scenario>();
  let started: Map<string, Promise<void>> | undefined;

  const add = (title: string, scenario: Scenario): void => {
    if (scenarios.has(title)) throw new Error(`two tests are called "${title}"`);
    scenarios.set(title, scenario);
    declare(title, async ({ task }) => {
      if (!started) {
        const chosen = chosenIn(task.file.tasks);
        started = new Map([...scenarios].filter(([name]) => chosen.has(name)).map(([name, run]) => [name, run()]));
        await Promise.allSettled(started.values());
      }
      const own = started.get(title);
      if (!own) throw new Error('it was not started with the others');
      await own;
    });
  };

  return Object.assign(add, {
    /** One test for each case; the title takes as many values as it has places. */
    each:
      <const T>(cases: readonly T[]) =>
      (title: string, scenario: (...values: Values<T>) => Promise<void>): void => {
        const places = title.match(/%[sdi]/g)?.length ?? 0;
        for (const one of cases) {
          const values = (Array.isArray(one) ? one : [one]) as Values<T>;
          add(format(title, ...values.slice(0, places)), () => scenario(...values));
        }
      },
  });
}

/** The names of the tests that are not left out by `-t` or `only`. */
const chosenIn = (tasks: Tasks): Set<string> =>
  new Set(tasks.filter(({ mode }) => mode !== 'skip').flatMap((task) => [task.name, ...chosenIn(task.tasks ?? [])]));

import { makeRandom } from './random.ts';
import { type Answer, DEVIATIONS, type Deviation, GOES_BACK, type Schedule } from './schedule.ts';
import type { Run, World } from './simulation.ts';

/** Facts about a world from its plain run: the number of boundaries of each process, and its calls. */
export type Known = { counts: ReadonlyMap<string, number>; calls: readonly string[] };

export const plainSchedule = (world: World): Schedule => ({
  order: world.cast,
  deviations: {},
  answers: world.answers ?? {},
});

export function knownOf({ points, calls }: Run): Known {
  const counts = new Map<string, number>();
  for (const { at } of points) {
    const [who = ''] = at.split('#');
    counts.set(who, (counts.get(who) ?? 0) + 1);
  }
  const again = calls.map((call) => call.replace(/#\d+$/, '#2'));
  return { counts, calls: [...new Set([...calls, ...again])] };
}

/** The answers besides making what was requested. */
export const ANSWERS: readonly Answer[] = [
  'refused',
  'throttled',
  '401',
  '500, not made',
  '500, made',
  'unreachable',
  'broken off, made',
  'not ours',
  'late, made',
  'too late, made',
  'too late, refused',
  'too late, 500',
  'the id of another',
  'never, made',
  'never, not made',
];

/** A deviation may come somewhat later than the end of the plain run. */
const BEYOND = 1.3;

/**
 * A schedule from a seed: priorities, and a few moments at which a process falls behind all others (as in PCT). It has
 * one or two faults at most, because what more faults break, fewer break, too.
 */
export function scheduleOf(world: World, seed: number, { counts, calls }: Known): Schedule {
  const random = makeRandom(`${world.name} ${seed}`);
  const deviations: Record<string, Deviation> = {};
  const who = world.cast.filter((name) => counts.has(name));
  const place = () => {
    const name = random.oneOf(who);
    return `${name}#${1 + random.below(Math.ceil((counts.get(name) ?? 1) * BEYOND))}`;
  };
  const turns = random.below(5);
  for (let left = turns; left > 0; left -= 1) deviations[place()] = 'gives way';
  const faults = random.oneOf([0, 1, 1, 2]);
  for (let left = faults; left > 0; left -= 1) deviations[place()] = random.oneOf(DEVIATIONS.slice(1));
  if (world.goesBack) deviations[place()] = GOES_BACK;
  const answers: Record<string, Answer> = { ...world.answers };
  const others = random.oneOf([0, 0, 1, 1, 2]);
  for (let left = calls.length > 0 ? others : 0; left > 0; left -= 1)
    answers[random.oneOf(calls)] = random.oneOf(ANSWERS);
  return { order: random.shuffled(world.cast), deviations, answers };
}

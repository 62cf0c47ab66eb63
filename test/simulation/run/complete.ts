import { type Answer, DEVIATIONS, type Deviation, type Schedule } from './schedule.ts';
import type { Point } from './scheduler.ts';
import type { Run, World } from './simulation.ts';
import { ANSWERS, plainSchedule } from './walk.ts';

/**
 * How deeply a world is searched: the number of changed turns without a fault, the number of faults, one at most, and
 * the number of changed turns beside a fault.
 */
export type Depth = { turns: number; faults: number; turnsBesideFault: number };

/**
 * A schedule to be played, its number of deviations from the plain run, and the boundary after which more may follow.
 */
export type Branch = { schedule: Schedule; turns: number; faults: number; behind: string | undefined };

export const roots = (world: World): Branch[] =>
  world.cast.map((_, first) => {
    const order = [...world.cast.slice(first), ...world.cast.slice(0, first)];
    return { schedule: { ...plainSchedule(world), order }, turns: 0, faults: 0, behind: undefined };
  });

/** Each schedule with one more deviation, after all deviations of this one. */
export function* branchesOf({ schedule, turns, faults, behind }: Branch, run: Run, depth: Depth): Generator<Branch> {
  const from = behind === undefined ? 0 : run.points.findIndex(({ at }) => at === behind) + 1;
  const mostTurns = faults === 0 ? depth.turns : depth.turnsBesideFault;
  const mayFault = faults < depth.faults && turns <= depth.turnsBesideFault;
  for (const point of run.points.slice(from)) {
    for (const deviation of DEVIATIONS) {
      const isTurn = deviation === 'gives way';
      if (isTurn ? turns >= mostTurns : !mayFault || !isPossible(deviation, point)) continue;
      const deviations = { ...schedule.deviations, [point.at]: deviation };
      yield {
        schedule: { ...schedule, deviations },
        turns: turns + (isTurn ? 1 : 0),
        faults: faults + (isTurn ? 0 : 1),
        behind: point.at,
      };
    }
  }
  if (!mayFault || behind !== undefined) return;
  for (const call of run.calls) yield* answered(schedule, call);
}

function* answered(schedule: Schedule, call: string): Generator<Branch> {
  for (const answer of ANSWERS) {
    const answers: Record<string, Answer> = { ...schedule.answers, [call]: answer };
    if (schedule.answers[call] !== answer)
      yield { schedule: { ...schedule, answers }, turns: 0, faults: 1, behind: undefined };
  }
}

function isPossible(deviation: Deviation, { mayRepeat, mayFail }: Point): boolean {
  if (deviation === 'asks twice') return mayRepeat;
  return mayFail || !deviation.startsWith('fails');
}

import type { Answer, Deviation, Schedule } from './schedule.ts';
import type { Run, World } from './simulation.ts';

/** A fault without its numbers and names, which identifies faults of the same kind. */
export function kindOfFault(broken: string): string {
  return (broken.split('\n')[0] ?? '').replace(/[0-9a-zA-Z_-]*\d[0-9a-zA-Z_-]*/g, '').slice(0, 70);
}

/** The shortest schedule with the same fault: each deviation is removed if the fault remains. */
export async function shrink(
  world: World,
  found: Schedule,
  broken: string,
  play: (schedule: Schedule) => Promise<Run>,
): Promise<Schedule> {
  const kind = kindOfFault(broken);
  const breaks = async (schedule: Schedule): Promise<boolean> => {
    const run = await play(schedule);
    return run.broken !== undefined && kindOfFault(run.broken) === kind;
  };
  let best = found;
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    for (const shorter of shorterOnes(world, best)) {
      if (!(await breaks(shorter))) continue;
      best = shorter;
      isShorter = true;
      break;
    }
  }
  return best;
}

function* shorterOnes(world: World, { order, deviations, answers }: Schedule): Generator<Schedule> {
  for (const at of Object.keys(deviations)) {
    yield { order, answers, deviations: without(deviations, at) as Record<string, Deviation> };
  }
  const given = world.answers ?? {};
  for (const call of Object.keys(answers)) {
    if (answers[call] === given[call]) continue;
    const plain = given[call] === undefined ? without(answers, call) : { ...answers, [call]: given[call] };
    yield { order, deviations, answers: plain as Record<string, Answer> };
  }
  if (order.join() !== world.cast.join()) yield { order: world.cast, deviations, answers };
}

function without(record: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([one]) => one !== name));
}

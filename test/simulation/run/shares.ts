import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { sayPace } from './pace.ts';
import { realNowMs } from './virtual-globals.ts';

/** Which seeds, and how long at the most. */
export type Wish = { from: number; count: number; seconds: number };

/** What was played of a walk until now, what it took, and which kinds of faults came out. */
export type Played = { played: number; broken: number; hereMs: number; redisMs: number; kinds: string[] };

/** Answers the next seed, as long as there is one. */
export type Take = () => Promise<number | undefined>;

/** So many seeds are handed to another process at a time. */
const PIECE = 64;
/** For fewer it does not pay to start one. */
const WORTH_IT = 500;
/** How often it says how far it is. */
export const SAID_EVERY = 1_000;

/** How many processes share a walk, a core each. */
export const sharesOf = ({ count }: Wish): number =>
  Math.max(1, Math.min(availableParallelism(), Math.floor(count / WORTH_IT)));

/** Hands out seeds, so many at a time, until there are no more, or the time is over. */
function takeFrom({ from, count, seconds }: Wish): (most: number) => number[] {
  let beganMs: number | undefined;
  let next = from;
  return (most) => {
    beganMs ??= realNowMs();
    const isOver = realNowMs() - beganMs > seconds * 1_000;
    const size = isOver ? 0 : Math.min(most, from + count - next);
    next += size;
    return Array.from({ length: size }, (_, place) => next - size + place);
  };
}

export function takeOwn(wish: Wish): Take {
  const take = takeFrom(wish);
  return async () => take(1)[0];
}

/** Takes seeds of the process that started this one; where that is gone there are none. */
export function takeOfParent(soFar: () => Promise<Played>): Take {
  let seeds: number[] = [];
  let isOver = false;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    seeds = await tellParent(await soFar());
    isOver = seeds.length === 0;
    asking = undefined;
  };
  return async () => {
    while (seeds.length === 0 && !isOver) {
      asking ??= ask();
      await asking;
    }
    return seeds.shift();
  };
}

async function tellParent(soFar: Played): Promise<number[]> {
  if (!process.connected) return [];
  return new Promise((resolve) => {
    const none = (): void => resolve([]);
    process.once('disconnect', none);
    process.once('message', (seeds: number[]) => {
      process.off('disconnect', none);
      resolve(seeds);
    });
    process.send?.(soFar);
  });
}

/** The last word of a process that shares a walk. */
export async function leaveParent(soFar: Played): Promise<void> {
  await tellParent(soFar);
  process.disconnect?.();
}

/** Has processes of this very program play what is taken here. @throws where one of them breaks down */
export async function shareOut(wish: Wish, args: readonly string[]): Promise<void> {
  const take = takeFrom(wish);
  let beganMs: number | undefined;
  const shares: Played[] = [];
  const sum = (key: keyof Omit<Played, 'kinds'>): number => shares.reduce((all, one) => all + (one?.[key] ?? 0), 0);
  let said = 0;
  const say = (): void => {
    said = sum('played');
    sayPace(said, realNowMs() - (beganMs ?? 0), sum('hereMs'), sum('redisMs'));
  };
  const share = async (nth: number): Promise<void> => {
    const child = fork(process.argv[1] ?? '', [...args, '--share']);
    child.on('message', (soFar: Played) => {
      beganMs ??= realNowMs();
      shares[nth] = soFar;
      child.send(take(PIECE));
      if (sum('played') >= said + SAID_EVERY) say();
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`A process that played ended by ${code}.`);
  };
  await Promise.all(Array.from({ length: sharesOf(wish) }, (_, nth) => share(nth)));
  say();
  sayEnd(wish, { played: said, broken: sum('broken'), kinds: shares.flatMap(({ kinds }) => kinds) });
}

/** What a walk came to, and where to go on. */
export function sayEnd({ from }: Wish, { played, broken, kinds }: Pick<Played, 'played' | 'broken' | 'kinds'>): void {
  const what = `${broken} of ${played} seeds from ${from} on broke a promise; ${new Set(kinds).size} kinds`;
  console.log(`${what}. Go on with --from ${from + played}.`);
  if (broken > 0) process.exitCode = 1;
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { sayPace } from './pace.ts';
import { realNowMs } from './virtual-globals.ts';

/** The seeds, and the longest duration. */
export type Wish = { from: number; count: number; seconds: number };

/** The progress of a walk: the schedules played, their cost, and the kinds of faults found. */
export type Played = { played: number; broken: number; hereMs: number; redisMs: number; kinds: string[] };

/** Returns the next seed, or undefined at the end. */
export type Take = () => Promise<number | undefined>;

/** The number of seeds that another process gets at a time. */
const PIECE = 64;
/** For fewer seeds, another process does not pay. */
const WORTH_IT = 500;
/** The interval of progress messages. */
export const SAID_EVERY = 1_000;

/** The number of processes that share a walk, one for each core. */
export const sharesOf = ({ count }: Wish): number =>
  Math.max(1, Math.min(availableParallelism(), Math.floor(count / WORTH_IT)));

/** Hands out so many seeds at a time, until there are no more or the time is over. */
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

/** Takes seeds from the parent process; if it is gone, there are none. */
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

/** The last message of a process that shares a walk. */
export async function leaveParent(soFar: Played): Promise<void> {
  await tellParent(soFar);
  process.disconnect?.();
}

/** Starts further processes of this program that play these seeds. @throws when one of them fails */
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

/** Prints the result of a walk, and the seed at which to continue. */
export function sayEnd({ from }: Wish, { played, broken, kinds }: Pick<Played, 'played' | 'broken' | 'kinds'>): void {
  const what = `${broken} of ${played} seeds from ${from} on broke a promise; ${new Set(kinds).size} kinds`;
  console.log(`${what}. Go on with --from ${from + played}.`);
  if (broken > 0) process.exitCode = 1;
}

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRedisServer } from './doubles/redis-server.ts';
import { type Schedule, scheduleText } from './run/schedule.ts';
import { shrink } from './run/shrink.ts';
import { type Place, play, type Run, type World } from './run/simulation.ts';
import { storyOf } from './run/story.ts';
import { realNowMs } from './run/virtual-globals.ts';
import { type Known, knownOf, plainSchedule, scheduleOf } from './run/walk.ts';
import { settingsOf } from './worlds/people.ts';
import { twoWorkers } from './worlds/two-workers.ts';
import { WORLDS } from './worlds/worlds.ts';

/** Runs that go on beside each other, each in a database of its own: what one waits for, another uses. */
const LANES = 12;

const OPTIONS = {
  same: { type: 'string' },
  seeds: { type: 'string', default: '1000' },
  from: { type: 'string', default: '0' },
  seed: { type: 'string' },
  world: { type: 'string' },
  schedule: { type: 'string' },
} as const;

/** `npm run simulate`: see README.md here. */
export async function simulate(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const server = await startRedisServer();
  const places = Array.from({ length: LANES }, (_, lane): Place => {
    const dataDir = join(server.dir, `data-${lane}`);
    mkdirSync(dataDir, { mode: 0o700 });
    return { server: server.open(lane), dataDir };
  });
  const worlds = WORLDS.filter(({ name }) => values.world === undefined || name === values.world);
  try {
    if (values.same !== undefined) await playTheSame(Number(values.same), places);
    else if (values.schedule !== undefined) await replay(worlds[0], JSON.parse(values.schedule) as Schedule, places);
    else if (values.seed !== undefined) await replaySeed(worlds, Number(values.seed), places);
    else await walk(worlds, Number(values.from), Number(values.seeds), places);
  } finally {
    await server.close();
  }
}

/** Calls it for each number, several beside each other. */
async function inLanes(count: number, places: readonly Place[], run: (nth: number, place: Place) => Promise<void>) {
  let next = 0;
  const lane = async (place: Place): Promise<void> => {
    while (next < count) {
      next += 1;
      await run(next - 1, place);
    }
  };
  await Promise.all(places.map(lane));
}

async function playTheSame(count: number, places: readonly Place[]): Promise<void> {
  const [{ dataDir } = { dataDir: '' }] = places;
  const world = twoWorkers(settingsOf(dataDir));
  const digests = new Map<string, number>();
  const beganMs = realNowMs();
  await inLanes(count, places, async (_, place) => {
    const { digest, broken } = await play(world, plainSchedule(world), place);
    if (broken) throw new Error(broken);
    digests.set(digest, (digests.get(digest) ?? 0) + 1);
  });
  for (const [digest, times] of digests) console.log(`${world.name}: ${times} times ${digest}`);
  sayPace(count, beganMs);
  if (digests.size > 1) process.exitCode = 1;
}

const sayPace = (count: number, beganMs: number): void => {
  const seconds = (realNowMs() - beganMs) / 1_000;
  console.error(`${count} schedules, ${(count / seconds).toFixed(1)} a second`);
};

/** What each world's plain run looks like. */
async function learn(worlds: readonly World[], [place]: readonly Place[]): Promise<Map<World, Known>> {
  const known = new Map<World, Known>();
  for (const world of worlds) {
    if (!place) continue;
    const run = await play(world, plainSchedule(world), place);
    if (run.broken) {
      console.log(storyOf(world.name, plainSchedule(world), run));
      throw new Error(`${world.name} breaks by itself`);
    }
    known.set(world, knownOf(run));
  }
  return known;
}

/** Goes through seeds, a world after another, and tells the shortest run of each kind of fault. */
async function walk(worlds: readonly World[], from: number, count: number, places: readonly Place[]): Promise<void> {
  const known = await learn(worlds, places);
  const beganMs = realNowMs();
  const found: { world: World; seed: number; schedule: Schedule; run: Run }[] = [];
  await inLanes(count, places, async (nth, place) => {
    const seed = from + nth;
    const world = worlds[seed % worlds.length] as World;
    const schedule = scheduleOf(world, seed, known.get(world) as Known);
    const run = await play(world, schedule, place);
    if (run.broken !== undefined) found.push({ world, seed, schedule, run });
  });
  sayPace(count, beganMs);
  const kinds = new Set<string>();
  for (const { world, seed, schedule, run } of found) {
    const kind = `${world.name}: ${(run.broken ?? '').split('\n')[0]?.replace(/\d+/g, '').slice(0, 60)}`;
    if (kinds.has(kind)) continue;
    kinds.add(kind);
    await tell(world, schedule, run, places, `seed ${seed}`);
  }
  console.log(`${found.length} of ${count} seeds from ${from} on broke a promise; ${kinds.size} kinds.`);
  if (found.length > 0) process.exitCode = 1;
}

async function tell(world: World, found: Schedule, run: Run, [place]: readonly Place[], title: string): Promise<void> {
  if (!place) return;
  const again = (schedule: Schedule) => play(world, schedule, place);
  const shortest = await shrink(world, found, run.broken ?? '', again);
  console.log(`\n--- ${title}\n${storyOf(world.name, shortest, await again(shortest))}\n`);
}

async function replay(world: World | undefined, schedule: Schedule, [place]: readonly Place[]): Promise<void> {
  if (!world || !place) throw new Error('No world has this name.');
  const run = await play(world, schedule, place);
  console.log(storyOf(world.name, schedule, run));
  if (run.broken !== undefined) process.exitCode = 1;
}

async function replaySeed(worlds: readonly World[], seed: number, places: readonly Place[]): Promise<void> {
  const world = worlds[seed % worlds.length] as World;
  const known = await learn([world], places);
  const schedule = scheduleOf(world, seed, known.get(world) as Known);
  console.log(scheduleText(schedule));
  await replay(world, schedule, places);
}

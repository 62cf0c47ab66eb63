import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRedisServer } from './doubles/redis-server.ts';
import { changesOf, type Mutant, mutated } from './mutants/mutant.ts';
import { mutantOf } from './mutants/mutants.ts';
import { type Branch, branchesOf, type Depth, roots } from './run/complete.ts';
import { startPace } from './run/pace.ts';
import { type Schedule, scheduleText } from './run/schedule.ts';
import type { Played, Wish } from './run/shares.ts';
import { leaveParent, SAID_EVERY, sayEnd, shareOut, sharesOf, takeOfParent, takeOwn } from './run/shares.ts';
import { kindOfFault, shrink } from './run/shrink.ts';
import { type Place, play, type Run, type World } from './run/simulation.ts';
import { storyOf } from './run/story.ts';
import { turnOfTheLoop } from './run/virtual-globals.ts';
import { type Known, knownOf, plainSchedule, scheduleOf } from './run/walk.ts';
import { FOUND, type Found } from './worlds/found.ts';
import { settingsOf, twoWorkers } from './worlds/people.ts';
import { WORLDS } from './worlds/worlds.ts';

/** Parallel runs, each in its own database: one runs while another waits. */
const LANES = 16;

const OPTIONS = {
  same: { type: 'string' },
  seeds: { type: 'string', default: '1000' },
  seconds: { type: 'string', default: '1000000' },
  from: { type: 'string', default: '0' },
  seed: { type: 'string' },
  world: { type: 'string' },
  schedule: { type: 'string' },
  mutant: { type: 'string' },
  found: { type: 'boolean' },
  complete: { type: 'boolean' },
  turns: { type: 'string', default: '2' },
  faults: { type: 'string', default: '1' },
  'beside-fault': { type: 'string', default: '0' },
  /** This process plays a part of a walk that another process hands out. */
  share: { type: 'boolean', default: false },
} as const;

/** Options that play something else than a walk through seeds. */
const PLAYS = ['same', 'mutant', 'schedule', 'seed', 'found', 'complete'] as const;

/** `npm run simulate`: see the README of this folder. */
export async function simulate(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const wish = { from: Number(values.from), count: Number(values.seeds), seconds: Number(values.seconds) };
  if (PLAYS.every((what) => values[what] === undefined) && !values.share && sharesOf(wish) > 1)
    return shareOut(wish, args);
  const server = await startRedisServer();
  const places = Array.from({ length: LANES }, (_, lane): Place => {
    const dataDir = join(server.dir, `data-${lane}`);
    mkdirSync(dataDir, { mode: 0o700 });
    return { server: server.open(lane), dataDir };
  });
  const worlds = WORLDS.filter(({ name }) => values.world === undefined || name === values.world);
  try {
    if (values.same !== undefined) await playTheSame(Number(values.same), places);
    else if (values.mutant !== undefined) await findMutant(mutantOf(values.mutant), worlds, places);
    else if (values.schedule !== undefined) await replay(worlds[0], JSON.parse(values.schedule) as Schedule, places);
    else if (values.seed !== undefined) await replaySeed(worlds, Number(values.seed), places);
    else if (values.found) await playFound(places);
    else if (values.complete) {
      for (const world of worlds) await goThrough(world, depthOf(values), Number(values.seconds), places);
    } else await walk(worlds, wish, values.share, places);
  } finally {
    await server.close();
  }
}

/** Calls `run` for each number, several in parallel. */
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
  const pace = await startPace(places);
  await inLanes(count, places, async (_, place) => {
    const { digest, broken } = await play(world, plainSchedule(world), place, { isTold: true });
    if (broken) throw new Error(broken);
    const bytes = digest();
    digests.set(bytes, (digests.get(bytes) ?? 0) + 1);
  });
  for (const [digest, times] of digests) console.log(`${world.name}: ${times} times ${digest}`);
  await pace.say(count);
  if (digests.size > 1) process.exitCode = 1;
}

/** The facts of each world's plain run. */
async function learn(worlds: readonly World[], [place]: readonly Place[]): Promise<Map<World, Known>> {
  const known = new Map<World, Known>();
  for (const world of worlds) {
    if (!place) continue;
    const run = await play(world, plainSchedule(world), place, { isTold: true });
    if (run.broken) {
      console.log(storyOf(world.name, plainSchedule(world), run));
      throw new Error(`${world.name} breaks by itself`);
    }
    known.set(world, knownOf(run));
  }
  return known;
}

/**
 * Plays seeds, world after world, and prints the shortest run of each kind of fault. Another walk may continue where it
 * stopped.
 */
async function walk(worlds: readonly World[], wish: Wish, isShare: boolean, places: readonly Place[]): Promise<void> {
  const known = await learn(worlds, places);
  const pace = await startPace(places);
  const kinds = new Set<string>();
  let [broken, played] = [0, 0];
  const soFar = async (): Promise<Played> => ({ played, broken, kinds: [...kinds], ...(await pace.spent()) });
  const take = isShare ? takeOfParent(soFar) : takeOwn(wish);
  const lane = async (place: Place): Promise<void> => {
    for (let seed = await take(); seed !== undefined; seed = await take()) {
      const world = worlds[seed % worlds.length] as World;
      const schedule = scheduleOf(world, seed, known.get(world) as Known);
      const run = await play(world, schedule, place);
      played += 1;
      if (!isShare && played % SAID_EVERY === 0) await pace.say(played);
      if (run.broken === undefined) continue;
      broken += 1;
      const kind = `${world.name}: ${kindOfFault(run.broken)}`;
      if (kinds.has(kind)) continue;
      kinds.add(kind);
      await tell(world, schedule, run, [place], `seed ${seed}`);
    }
  };
  await Promise.all(places.map(lane));
  if (isShare) return leaveParent(await soFar());
  await pace.say(played);
  sayEnd(wish, { played, broken, kinds: [...kinds] });
}

async function tell(world: World, found: Schedule, run: Run, [place]: readonly Place[], title: string): Promise<void> {
  if (!place) return;
  const again = (schedule: Schedule) => play(world, schedule, place, { isTold: true });
  const shortest = await shrink(world, found, run.broken ?? '', again);
  console.log(`\n--- ${title}\n${storyOf(world.name, shortest, await again(shortest))}\n`);
}

async function replay(world: World | undefined, schedule: Schedule, [place]: readonly Place[]): Promise<void> {
  if (!world || !place) throw new Error('No world has this name.');
  const run = await play(world, schedule, place, { isTold: true });
  console.log(storyOf(world.name, schedule, run));
  if (run.broken !== undefined) process.exitCode = 1;
}

/** Plays the schedules that once broke a promise. */
async function playFound(places: readonly Place[]): Promise<void> {
  let broken = 0;
  await inLanes(FOUND.length, places, async (nth, place) => {
    const { world: name, schedule, words } = FOUND[nth] as Found;
    const run = await play(worldOf(name), schedule, place, { isTold: true });
    if (run.broken === undefined) return;
    broken += 1;
    console.log(`${words}\n${storyOf(name, schedule, run)}`);
  });
  console.log(`${broken} of ${FOUND.length} schedules that broke a promise once break it`);
  if (broken > 0) process.exitCode = 1;
}

/** @throws when no world has this name */
function worldOf(name: string): World {
  const world = WORLDS.find((one) => one.name === name);
  if (!world) throw new Error(`No world is called ${name}.`);
  return world;
}

async function replaySeed(worlds: readonly World[], seed: number, places: readonly Place[]): Promise<void> {
  const world = worlds[seed % worlds.length] as World;
  const known = await learn([world], places);
  const schedule = scheduleOf(world, seed, known.get(world) as Known);
  console.log(scheduleText(schedule));
  await replay(world, schedule, places);
}

/** The number of schedules, or seconds, after which a mutant counts as not found. */
const MOST_OF_MUTANT = 1_500;
const MUTANT_S = 150;

/** Searches for a mutant in its worlds, and prints the run that found it, and the time. */
async function findMutant(mutant: Mutant, all: readonly World[], places: readonly Place[]): Promise<void> {
  const worlds = all.filter(({ name }) => mutant.worlds.includes(name));
  const ofScripts = changesOf(mutant).filter(({ file }) => file.endsWith('.lua'));
  const changed = (text: string) => ofScripts.reduce((now, one) => mutated(now, one) ?? now, text);
  const mutation = ofScripts.length > 0 ? { lua: (_name: string, text: string) => changed(text) } : {};
  const known = new Map<World, Known>();
  const pace = await startPace(places);
  const said = (found: string) => {
    const seconds = pace.secondsSoFar().toFixed(1);
    console.log(`${mutant.id} | ${mutant.words} | ${found} | ${seconds} s`);
  };
  let found: string | undefined;
  const { by } = mutant;
  if (by && places[0]) {
    const { broken } = await play(worldOf(by.world), by.schedule, places[0], mutation);
    if (broken !== undefined) found = `${by.world}, its own schedule | ${firstLine(broken)}`;
  }
  for (const world of worlds) {
    const [place] = places;
    if (!place || found !== undefined) break;
    const run = await play(world, plainSchedule(world), place, mutation);
    if (run.broken === undefined) known.set(world, knownOf(run));
    else found = `${world.name}, plainly | ${firstLine(run.broken)}`;
  }
  await inLanes(MOST_OF_MUTANT, places, async (seed, place) => {
    if (found !== undefined || pace.secondsSoFar() > MUTANT_S) return;
    const world = worlds[seed % worlds.length] as World;
    const schedule = scheduleOf(world, seed, known.get(world) as Known);
    const run = await play(world, schedule, place, mutation);
    if (run.broken !== undefined) found ??= `${world.name}, seed ${seed} | ${firstLine(run.broken)}`;
  });
  said(found ?? 'NOT FOUND |');
  if (found === undefined) process.exitCode = 1;
}

const firstLine = (broken: string): string => (broken.split('\n')[0] ?? '').slice(0, 110);

const depthOf = (values: { turns: string; faults: string; 'beside-fault': string }): Depth => ({
  turns: Number(values.turns),
  faults: Number(values.faults),
  turnsBesideFault: Number(values['beside-fault']),
});

/**
 * Plays all schedules of a world up to a depth, the shallow ones first. A schedule with the same effects as another one
 * leads to nothing new, and is not extended.
 */
async function goThrough(world: World, depth: Depth, seconds: number, places: readonly Place[]): Promise<void> {
  const pace = await startPace(places);
  const seen = new Set<string>();
  const kinds = new Set<string>();
  const left: Branch[] = roots(world);
  let played = 0;
  let broken = 0;
  let busy = 0;
  const lane = async (place: Place): Promise<void> => {
    while (pace.secondsSoFar() < seconds && (left.length > 0 || busy > 0)) {
      const branch = left.shift();
      if (!branch) {
        await turnOfTheLoop();
        continue;
      }
      busy += 1;
      const run = await play(world, branch.schedule, place, { isTold: true });
      busy -= 1;
      played += 1;
      const effects = run.effects();
      if (run.broken !== undefined) {
        broken += 1;
        const kind = kindOfFault(run.broken);
        if (!kinds.has(kind)) {
          kinds.add(kind);
          await tell(world, branch.schedule, run, [place], 'complete');
        }
      } else if (!seen.has(effects)) left.push(...branchesOf(branch, run, depth));
      seen.add(effects);
    }
  };
  await Promise.all(places.map(lane));
  await pace.say(played);
  const rest = left.length > 0 ? `, ${left.length} are left` : '';
  const what = `${world.name}: ${played} schedules${rest}, ${seen.size} different, ${broken} broke a promise`;
  console.log(`${what} (${depth.turns} turns, ${depth.faults} faults and ${depth.turnsBesideFault} turns beside one)`);
  if (broken > 0) process.exitCode = 1;
}

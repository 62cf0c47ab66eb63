import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startRedisServer } from '../simulation/doubles/redis-server.ts';
import { type Place, play, type World } from '../simulation/run/simulation.ts';
import { plainSchedule } from '../simulation/run/walk.ts';
import { WORLDS } from '../simulation/worlds/worlds.ts';
import { untranslated } from '../texts/untranslated.ts';
import { lookAtConsole, lookAtPages } from './console.ts';
import { dumpOf } from './dump.ts';
import { makeState } from './state.ts';
import { masked } from './text.ts';

const KEPT = join(import.meta.dirname, 'kept');

/** Keeps a text under a name; a later text with the same name is appended. */
export type Keep = (name: string, text: string) => void;

/**
 * Makes all texts again, or those of the fixed state alone. Writes them, or prints how they differ from the kept ones.
 * Returns the exit status.
 */
export async function goldens(wish: 'all' | 'state' | 'write'): Promise<number> {
  const server = await startRedisServer();
  const dataDir = join(server.dir, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const texts = new Map<string, string>();
  const keep: Keep = (name, text) => texts.set(name, (texts.get(name) ?? '') + masked(text, server.dir));
  try {
    const database = server.open(0);
    const state = makeState(
      keep,
      () => dumpOf(database),
      (context) => lookAtConsole(context, keep),
    );
    await playOrThrow(stateWorld(state), { server: database, dataDir });
    for (const world of wish === 'state' ? [] : WORLDS) {
      await playOrThrow(world, { server: database, dataDir });
      // The keys of all accounts are those of the fixed state, in each world.
      keep(`worlds/${world.name.replace(/\W+/g, '-')}.txt`, await dumpOf(database, 'account'));
    }
    const folder = wish === 'write' ? KEPT : join(server.dir, 'made');
    rmSync(folder, { recursive: true, force: true });
    for (const [name, text] of texts) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const { status } = spawnSync('diff', [wish === 'state' ? '-ruNxworlds' : '-ruN', KEPT, folder], {
      stdio: 'inherit',
    });
    console.log(
      `${texts.size} goldens ${status === 0 ? 'are as they were kept' : 'were made, and differ from those that were kept: mend what is not meant, and keep the rest by npm run golden -- --write'}`,
    );
    return status ?? 1;
  } finally {
    await server.close();
  }
}

/** Prints the texts of pages that were not looked up in the catalogue. Returns the exit status. */
export async function untranslatedTexts(): Promise<number> {
  const server = await startRedisServer();
  const dataDir = join(server.dir, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const found = new Map<string, string>();
  const look = (path: string, body: string) => {
    for (const text of untranslated(body)) found.set(text, path);
  };
  try {
    const state = makeState(
      () => {},
      async () => '',
      (context) => lookAtPages(context, look),
      [],
    );
    await playOrThrow(stateWorld(state), { server: server.open(0), dataDir });
  } finally {
    await server.close();
  }
  for (const [text, path] of found) console.log(`${path} | ${text}`);
  return found.size === 0 ? 0 : 1;
}

/** A world that ends as soon as the fixed state is made. */
function stateWorld(state: ReturnType<typeof makeState>): World {
  const nobody = { cast: [], isOver: async () => true, checkEnd: async () => {} };
  return { name: 'a fixed state', ...nobody, ...state };
}

async function playOrThrow(world: World, place: Place): Promise<void> {
  const { broken } = await play(world, plainSchedule(world), place);
  if (broken === undefined) return;
  // A command that did not end still holds the streams of this process, so this writes to the descriptor.
  writeSync(2, `${world.name}: ${broken}\n`);
  throw new Error(broken);
}

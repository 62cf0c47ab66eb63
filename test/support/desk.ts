import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { callCommand } from './call-command.ts';
import { startCommand } from './command.ts';
import { ownRedis } from './ledger.ts';
import { startStandIn } from './stand-in.ts';
import { buyerLines, makeFolder } from './workplace.ts';

/** What an operator sits at: a folder with a file of so many buyers, `q4.csv`, a stand-in, and the command line. */
export async function openDesk(rows: number, faults: FaultChange = {}, settings: Record<string, string> = {}) {
  const cwd = await makeFolder();
  const standIn = await startStandIn(faults);
  const env = {
    ...ownRedis(),
    SERVICE_URL: standIn.url(),
    SERVICE_CLIENT_ID: STAND_IN_CREDENTIALS.clientId,
    SERVICE_CLIENT_SECRET: STAND_IN_CREDENTIALS.clientSecret,
    ...settings,
  };
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(rows).join('\n')}\n`);
  const limitline = (...args: string[]) => callCommand(args, { cwd, env });
  return {
    cwd,
    env,
    standIn,
    /** Runs a command to its end, in the test's own process. */
    limitline,
    /** What a command prints as JSON. */
    json: async (...args: string[]) => JSON.parse((await limitline(...args, '--json')).stdout),
    /** Starts a command as a process. */
    start: (...args: string[]) => startCommand(args, { cwd, env }),
    /** The files that are there, less the hidden ones. */
    names: async () => (await readdir(cwd)).filter((name) => !name.startsWith('.')).sort(),
    read: (name: string) => readFile(join(cwd, name), 'utf8'),
  };
}

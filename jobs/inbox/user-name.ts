import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A directory service that answers later than this is as good as none. */
const LOOK_UP_MS = 5_000;

/** The login name of a user of the system: as the system knows it, LDAP included; else `uid 1234`. */
export async function userNameOf(uid: number): Promise<string> {
  // A slim image may lack getent; the users of its own are in the file.
  const found = await promisify(execFile)('getent', ['passwd', String(uid)], { timeout: LOOK_UP_MS }).catch(
    async () => ({
      stdout: await readFile('/etc/passwd', 'utf8').catch(() => ''),
    }),
  );
  const users = found.stdout.split('\n').map((line) => line.split(':'));
  return users.find(([, , id]) => id === String(uid))?.[0] || `uid ${uid}`;
}

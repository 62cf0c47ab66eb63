import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Starts a `redis-server`. On Linux it is killed when this process ends in any way, so none stays if a test run is killed or
 * interrupted.
 */
export function spawnRedis(args: readonly string[], options: { cwd?: string } = {}): ChildProcess {
  const [command = '', ...given] = [...(process.platform === 'linux' ? ENDS_WITH_PARENT : []), 'redis-server', ...args];
  // Its output is ignored, because a full pipe would stop it.
  return spawn(command, given, { ...options, stdio: 'ignore' });
}

/** The system kills the server with its parent. The process id stays, because `setpriv` becomes the server. */
const ENDS_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL'];

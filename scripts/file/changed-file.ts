import { stat } from 'node:fs/promises';
import { makeProblem, type Problem, WHOLE_FILE } from '../../src/portfolio/problem.ts';

/**
 * Notes size and time of a file before it is read. The function that is returned gives a warning if they
 * differ later, since somebody still wrote to the file. There is none for pipes, and for files whose size and time cannot be read.
 */
export async function lookForChange(path: string): Promise<() => Promise<Problem[]>> {
  const before = await versionOf(path);
  return async () => ((await versionOf(path)) === before ? [] : [makeProblem(WHOLE_FILE, null, null, CHANGED)]);
}

const CHANGED =
  'The file was changed while it was read, so lines may be missing: give the command again when nobody writes to the file any more.';

async function versionOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? `${found.size} ${found.mtimeMs}` : '';
}

import { readSettings } from '../../src/config.ts';
import { LimitlineError } from '../../src/errors.ts';
import { readGiven } from '../../src/given-settings.ts';

/** Settings that lead to a service and its account. Others, such as a time limit, stay. */
const LEADING = [
  'SERVICE_URL',
  'SERVICE_ACCOUNT',
  'SERVICE_CLIENT_ID',
  'SERVICE_CLIENT_ID_FILE',
  'SERVICE_CLIENT_SECRET',
  'SERVICE_CLIENT_SECRET_FILE',
  'SERVICE_TOKEN_FIELD',
];

/**
 * Ignores settings of a real service in this process, and says so: the example's buyers are invented, and are requested of the
 * stand-in only.
 *
 * @throws LimitlineError `SETTINGS` where a service would be called all the same, which would be a fault of ours
 */
export function useStandInOnly(say: (text: string) => void): void {
  const given = readGiven({ env: process.env, cwd: process.cwd(), names: ['SERVICE_URL'], inFiles: [] });
  // An empty environment variable hides the value in a .env file.
  for (const name of LEADING) process.env[name] = '';
  const { SERVICE_URL, SERVICE_ACCOUNT } = readSettings();
  if (SERVICE_URL !== undefined || SERVICE_ACCOUNT !== undefined) {
    throw new LimitlineError(
      'SETTINGS',
      'The example runs on the stand-in only, but .env sets SERVICE_URL or SERVICE_ACCOUNT; remove it from .env.',
    );
  }
  if (given.values.SERVICE_URL !== undefined) {
    say('limitline: SERVICE_URL is ignored: the example runs on the stand-in, and no service is called.');
  }
}

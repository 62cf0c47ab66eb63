import type { Settings } from '../../src/config.ts';
import { readCertificate } from '../../src/console/server/certificate.ts';
import { type Reach, readReach } from '../../src/console/server/reach.ts';

/**
 * From where the console can be reached, looked at before anything is opened: the settings that say it, and the certificate.
 *
 * @throws LimitlineError `SETTINGS` that names what is missing or does not fit
 */
export function reachOf(settings: Settings): Reach {
  const reach = readReach(settings);
  if (reach.certificate) readCertificate(reach.certificate);
  return reach;
}

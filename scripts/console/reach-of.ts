import type { Settings } from '../../src/config.ts';
import { readCertificate } from '../../src/console/server/certificate.ts';
import { type Reach, readReach } from '../../src/console/server/reach.ts';

/**
 * Reads from where the console can be reached, and checks the certificate, before anything is opened.
 *
 * @throws LimitlineError `SETTINGS` for what is missing or does not fit
 */
export function reachOf(settings: Settings): Reach {
  const reach = readReach(settings);
  if (reach.certificate) readCertificate(reach.certificate);
  return reach;
}

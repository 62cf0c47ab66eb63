import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { AuditTrail } from '../../src/audit/audit-trail.ts';
import { readExportLine } from '../../src/audit/entry.ts';
import { makeVerifier, type Verdict } from '../../src/audit/verify.ts';
import { fileFault } from '../../src/files/file-fault.ts';

/**
 * Checks an export, a line at a time. It may end before the trail does, and begin where it was asked to; what this host remembers
 * is held against it as far as it goes.
 *
 * @throws LimitlineError `FILE` where it cannot be read
 */
export async function verifyFile(path: string, audit: AuditTrail, from: number | undefined): Promise<Verdict> {
  const known = await audit.remembered();
  const verifier = makeVerifier({
    chain: await audit.chain(),
    from,
    remembered: known ? [{ ...known, by: 'the data folder of this host', mustReach: false }] : [],
  });
  const file = createReadStream(path);
  try {
    for await (const line of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
      const entry = readExportLine(line);
      // What is no entry has no link that could hold.
      if (entry || line !== '') verifier.add(entry ?? { text: line, link: '' });
    }
  } catch (error) {
    throw fileFault(path, 'read', error);
  }
  return verifier.end();
}

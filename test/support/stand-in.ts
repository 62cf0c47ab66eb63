import { onTestFinished } from 'vitest';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { makeSilentLog } from '../../src/log.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { makeStandIn, type StandIn } from '../../src/stand-in/stand-in.ts';

/** A stand-in on a free port that remembers everything it made; it ends with the test. */
export async function startStandIn(faults: FaultChange = {}): Promise<StandIn> {
  const standIn = makeStandIn({ credentials: STAND_IN_CREDENTIALS, faults, keepMade: true, log: makeSilentLog() });
  await standIn.start();
  onTestFinished(() => standIn.close());
  return standIn;
}

import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { FaultSettings } from './fault-settings.ts';
import type { Faults } from './faults.ts';
import type { Listener } from './listener.ts';

/**
 * Opens and closes the port as the outage in force says, and ends the outage when its time is over. Changes are
 * followed one after the other, so that the port is never being opened and closed at once.
 */
export function makeOutage({ faults, listener, log }: { faults: Faults; listener: Listener; log: Log }) {
  let running = false;
  let followed: FaultSettings['outage'] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  const apply = async () => {
    const { outage } = faults.settings();
    if (!running || outage === followed) return;
    followed = outage;
    clearTimeout(timer);
    if (outage?.how === 'refuse') await listener.shut();
    else await listener.open();
    if (outage?.forMs !== undefined) timer = setTimeout(end, outage.forMs);
  };
  const end = () => {
    faults.set({ outage: null });
    followInBackground();
  };
  const follow = (): Promise<void> => {
    last = last.catch(() => {}).then(apply);
    return last;
  };
  const followInBackground = (): void => {
    follow().catch((error) => log.error({ error: messageOf(error) }, 'the stand-in cannot open its port again'));
  };

  return {
    /** Also where an outage is in force from the beginning, the port opens first: until then it may not be known. */
    async start(): Promise<void> {
      running = true;
      await listener.open();
      await follow();
    },
    /** Call it when the faults may have changed. Resolves when the port is as they want it; rejects where it cannot be opened. */
    follow,
    /** The same where nobody waits for it: a failure is logged. */
    followInBackground,
    async stop(): Promise<void> {
      running = false;
      await last.catch(() => {});
      clearTimeout(timer);
      await listener.shut();
    },
  };
}

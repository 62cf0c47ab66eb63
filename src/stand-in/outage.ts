import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { FaultSettings } from './fault-settings.ts';
import type { Faults } from './faults.ts';
import type { Listener } from './listener.ts';

/**
 * Opens and closes the port according to the outage setting, and ends an outage when its time is over. Changes run one
 * after the other, so opening and closing never overlap.
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
    /** Always opens the port first, even if the settings begin with an outage: a port of 0 is unknown until then. */
    async start(): Promise<void> {
      running = true;
      await listener.open();
      await follow();
    },
    /** To be called after changes of faults. Resolves when the port follows them; rejects if it cannot open. */
    follow,
    /** The same without waiting; a failure is logged. */
    followInBackground,
    async stop(): Promise<void> {
      running = false;
      await last.catch(() => {});
      clearTimeout(timer);
      await listener.shut();
    },
  };
}

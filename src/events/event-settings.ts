type EventSettings = {
  EVENTS_PORT?: number | undefined;
  EVENTS_SECRET?: string | undefined;
  CONSOLE_PORT: number;
  METRICS_PORT?: number | undefined;
};

/** The part of a message that says how to make a secret which nobody guesses: 256 bits in hexadecimal. */
export const MAKE_SECRET = 'openssl rand -hex 32 makes one';

/** Faults in the combination of these settings, one sentence each; none if no port is set. */
export function eventFaults({ EVENTS_PORT, EVENTS_SECRET, CONSOLE_PORT, METRICS_PORT }: EventSettings): string[] {
  if (EVENTS_PORT === undefined) {
    if (EVENTS_SECRET === undefined) return [];
    return [
      'EVENTS_SECRET is given, so EVENTS_PORT is needed too, such as 4400; without a port nothing is listened for',
    ];
  }
  const faults: string[] = [];
  if (EVENTS_SECRET === undefined) {
    faults.push(
      `EVENTS_PORT is given, so EVENTS_SECRET (or EVENTS_SECRET_FILE) is needed too, without which anybody could leave events here; ${MAKE_SECRET}`,
    );
  }
  // Port 0 takes a free port, so it never conflicts with another setting.
  if (EVENTS_PORT === 0) return faults;
  const others = { CONSOLE_PORT, METRICS_PORT };
  for (const [name, port] of Object.entries(others)) {
    if (port === EVENTS_PORT) faults.push(`EVENTS_PORT is ${port}, which is ${name} too; choose another port for one`);
  }
  return faults;
}

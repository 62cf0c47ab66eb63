import { describe, expect, test } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { eventFaults } from '../../src/events/event-settings.ts';

const SECRET = 'x'.repeat(24);

describe('the settings of the event listener', () => {
  const usual = { CONSOLE_PORT: 3_000, METRICS_PORT: undefined };
  test.each([
    ['neither port nor secret', {}, []],
    ['a port and a secret', { EVENTS_PORT: 4_400, EVENTS_SECRET: SECRET }, []],
    ['any port', { EVENTS_PORT: 0, EVENTS_SECRET: SECRET, CONSOLE_PORT: 0, METRICS_PORT: 0 }, []],
    [
      'a port without a secret',
      { EVENTS_PORT: 4_400 },
      [/EVENTS_SECRET .* is needed too, .*; openssl rand -hex 32 makes one$/],
    ],
    ['a secret without a port', { EVENTS_SECRET: SECRET }, [/^EVENTS_SECRET is given, so EVENTS_PORT is needed too/]],
    [
      "the console's port",
      { EVENTS_PORT: 3_000, EVENTS_SECRET: SECRET },
      [/^EVENTS_PORT is 3000, .* CONSOLE_PORT too/],
    ],
    [
      'the port of health and metrics',
      { EVENTS_PORT: 9_464, EVENTS_SECRET: SECRET, METRICS_PORT: 9_464 },
      [/METRICS_PORT too; choose another/],
    ],
  ])('with %s are accepted or reported as faults', (_what, given, faults) => {
    const found = eventFaults({ ...usual, ...given });
    expect(found.length).toBe(faults.length);
    for (const [place, fault] of faults.entries()) expect(found[place]).toMatch(fault);
  });

  test('are reported with the other faults of the settings, without any secret', () => {
    const read = (env: Record<string, string>) => () => readSettings({ env, cwd: '/' });
    expect(read({ EVENTS_PORT: '4400', SERVICE_URL: 'https://x' })).toThrow(
      /SERVICE_CLIENT_ID .*; EVENTS_PORT is given/,
    );
    const short = read({ EVENTS_PORT: '4400', EVENTS_SECRET: 'hunter2' });
    expect(short).toThrow(/EVENTS_SECRET must be 24 to 200 letters, .* openssl rand -hex 32/);
    expect(short).not.toThrow(/hunter2/);
    const secret = 'not+a+secret+of+ours+since+it+has+signs';
    expect(read({ EVENTS_PORT: '4400', EVENTS_SECRET: secret })).not.toThrow(secret);
    expect(read({ EVENTS_PORT: '4400', EVENTS_SECRET: secret })).toThrow(/EVENTS_SECRET must be/);
  });
});

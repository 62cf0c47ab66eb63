import { expect, onTestFinished, test, vi } from 'vitest';
import { sayCrashes, sayFault } from '../../../scripts/process/crash.ts';
import { LimitlineError } from '../../../src/errors.ts';

function makeHearing() {
  const said: string[] = [];
  return {
    said,
    terminal: { say: (text: string) => void said.push(text), log: () => undefined },
  };
}

test('what nobody caught ends the process, without the data that hangs on it', () => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  onTestFinished(() => exit.mockRestore());
  const { said, terminal } = makeHearing();
  const known = new Set(process.listeners('uncaughtException'));
  sayCrashes(terminal);
  const [listener] = process.listeners('uncaughtException').filter((each) => !known.has(each));
  if (!listener) throw new Error('nobody listens');
  process.off('uncaughtException', listener);

  const error = Object.assign(new Error('ERR so it is'), { command: { name: 'set', args: ['k', 'Geheim GmbH'] } });
  listener(error, 'unhandledRejection');
  expect(exit).toHaveBeenCalledWith(1);
  expect(said.join('\n')).toMatch(/^limitline: ERR so it is\n.*crash\.test\.ts/);
  expect(said.join('\n')).not.toContain('Geheim');
});

test('a Redis that is full is said in one line', async () => {
  const { said, terminal } = makeHearing();
  const full = Object.assign(new Error("OOM command not allowed when used memory > 'maxmemory'."), {
    name: 'ReplyError',
  });
  sayFault(full, terminal);
  expect(said).toEqual([expect.stringMatching(/^limitline: Redis cannot take it at the moment \(OOM .*from here\.$/)]);
});

test('a fault that we know is said in one line', () => {
  const { said, terminal } = makeHearing();
  sayFault(new LimitlineError('USAGE', 'Give a file.'), terminal);
  expect(said).toEqual(['limitline: Give a file.']);
});

import { describe, expect, onTestFinished, type TestContext, type TestFunction, test } from 'vitest';
import { testsBeside } from './tests-beside.ts';

describe('tests beside each other', () => {
  const beside = testsBeside();
  const [asked, answered] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const closed: string[] = [];

  beside('run at the same time', async () => {
    onTestFinished(() => void closed.push('first'));
    asked.resolve('here?');
    expect(await answered.promise).toBe('here');
  });

  beside('close what they opened after all have ended', async () => {
    onTestFinished(() => void closed.push('second'));
    expect(await asked.promise).toBe('here?');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(closed).toEqual([]);
    answered.resolve('here');
  });

  beside.each([
    ['one', 1],
    ['two', 2],
  ])('are one for each case, here %s', async (word, number) => {
    expect({ one: 1, two: 2 }[word]).toBe(number);
  });

  test('leave nothing open', () => {
    expect(closed).toEqual(['second', 'first']);
  });

  test('have different titles', () => {
    expect(() => beside('run at the same time', async () => {})).toThrow('two tests are called');
  });
});

test('a test beside others fails if its own scenario does, whether or not it is the first', async () => {
  const declared = new Map<string, TestFunction>();
  const beside = testsBeside((title, run) => void declared.set(title, run));
  beside('first', async () => {
    throw new Error('the first is wrong');
  });
  beside('second', async () => {
    throw new Error('the second is wrong');
  });
  beside('third', async () => {});
  const tasks = [...declared.keys()].map((name) => ({ name, mode: 'run' }));
  const outcomes = await Promise.allSettled(
    [...declared.values()].map(async (run) => run({ task: { file: { tasks } } } as unknown as TestContext)),
  );
  expect(outcomes.map((one) => (one.status === 'rejected' ? String(one.reason) : one.status))).toEqual([
    'Error: the first is wrong',
    'Error: the second is wrong',
    'fulfilled',
  ]);
});

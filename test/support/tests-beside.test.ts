import { describe, expect, onTestFinished, test } from 'vitest';
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

describe('a test beside others', () => {
  const fails = testsBeside(test.fails);

  fails('fails if its scenario does', async () => {
    throw new Error('wrong');
  });

  fails('fails also if it is not the first', async () => {
    expect(1).toBe(2);
  });
});

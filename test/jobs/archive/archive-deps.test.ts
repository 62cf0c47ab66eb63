import { expect, test } from 'vitest';
import { makeReportStep, type WorkProgress } from '../../../jobs/archive/archive-deps.ts';

test('the reported rows add up within a step, start anew for the next, and a signal throws after its report', async () => {
  const heard: WorkProgress<'one' | 'two'>[] = [];
  const ending = new AbortController();
  const onProgress = (progress: WorkProgress<'one' | 'two'>) => void heard.push(progress);
  const reportStep = makeReportStep({ signal: ending.signal, onProgress }, 9, 'It was stopped.');
  await reportStep('one');
  await reportStep('one', 3);
  await reportStep('one', 4);
  await reportStep('two', 5);
  ending.abort(new Error('SIGINT came'));
  await expect(reportStep('two')).rejects.toMatchObject({
    code: 'STOPPED',
    message: 'It was stopped.',
    cause: { message: 'SIGINT came' },
  });
  expect(heard.map(({ step, rows, total }) => [step, rows, total])).toEqual([
    ['one', 0, 9],
    ['one', 3, 9],
    ['one', 7, 9],
    ['two', 5, 9],
    ['two', 5, 9],
  ]);
});

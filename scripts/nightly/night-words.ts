import { FAULT_STATUS, PROBLEMS_STATUS } from '../process/exit-status.ts';
import type { NightEnd } from './run-nights.ts';

/** The results of runs, one line each. */
export function nightWords(ends: readonly NightEnd[]): string {
  if (ends.length === 0) return 'Nothing was due.';
  return ends.map(({ task, end }) => `${task}: ${wordsOf(end)}`).join('\n');
}

function wordsOf(end: NightEnd['end']): string {
  if (!end) return 'stopped before its end; it goes on with the next pass, or with whoever is on duty.';
  return `${end.is === 'failed' ? 'FAILED. ' : ''}${end.words}`;
}

/** The exit status: 1 if a task failed or was not done, 2 if a check has findings, else 0. */
export function statusOf(ends: readonly NightEnd[]): number {
  if (ends.some(({ end }) => end === undefined || end.is === 'failed')) return FAULT_STATUS;
  return ends.some(({ end }) => end?.is === 'findings') ? PROBLEMS_STATUS : 0;
}

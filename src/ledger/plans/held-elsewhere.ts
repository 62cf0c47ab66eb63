import { counted } from '../../counted.ts';

/** Held rows of another portfolio that wait for the same call, and so go on with whoever answers it. */
export type Elsewhere = { portfolio: string; rows: number; paused: boolean };

/** What becomes of them, a sentence for each portfolio: whether this one is paused is nothing to another. */
export function elsewhereWords(elsewhere: readonly Elsewhere[] = []): string[] {
  return elsewhere.map(({ portfolio, rows, paused }) => {
    const which = `${counted(rows, 'held row')} of portfolio ${portfolio}, which is ${paused ? '' : 'not '}paused,`;
    return `${which} ${rows === 1 ? 'goes' : 'go'} on by the same answer${paused ? ' once somebody resumes it' : ''}.`;
  });
}

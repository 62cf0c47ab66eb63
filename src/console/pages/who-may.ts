import { t } from '../html/html.ts';
import { peopleWords } from './approvals/approvals-list.ts';

/**
 * The names of people who may act on a portfolio, as far as users are known. `operate`: those whose role is enough for any
 * portfolio. `own`: these, and those who may act since the portfolio is their own. `resume`: those who may end its pause.
 */
export type WhoMay = Readonly<Record<'operate' | 'own' | 'resume', readonly string[]>>;

/** Says who may do something, to a person who may not: `fiona and olga may resume it.` */
export function mayWords(names: readonly string[], what: string): string {
  return t`${peopleWords(names) || t`Somebody with the role operator`} may ${what}.`;
}

/** The names of people of whom any one is enough: `fiona or olga`; '' if nobody is known. */
export function anyOf(names: readonly string[]): string {
  return peopleWords(names, 'or');
}

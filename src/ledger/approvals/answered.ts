import type { Approval } from '../schema/approval.ts';

/** What waits for another person's approval, since somebody asked for it: rows, and what they ask for as exact decimal text, and which sum is above its limit, in words. */
export type AskedFor = { approval: string; rows: number; sum: string; why?: string };

/** What a person says to what waits for approval. */
export type ApprovalAnswer = 'approve' | 'decline';

/**
 * What became of a person's answer. Nothing was done but for `done`: there is no such approval (`gone`); another answered it before
 * (`answered`); it is not what was looked at any more (`changed`); whoever asked for it answers it (`own`); whoever answers may not
 * (any more: `role`); there are no users, so nobody knows who answers (`nobody`); the password or the code is wrong, or too many were tried; whoever answers has a password of their own or a second factor to set first (`owes`), or has to sign in anew at their identity provider.
 */
export type Answered =
  | { is: 'done'; approval: Approval }
  | { is: 'answered'; approval: Approval }
  | { is: 'gone' | 'changed' | 'own' | 'role' | 'nobody' | 'password' | 'owes' | 'sign in' | 'busy' }
  | { is: 'later'; afterS: number };

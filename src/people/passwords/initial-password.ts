import { randomInt } from 'node:crypto';

/** Without those that are taken for another when they are read aloud or copied by hand. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz';

/** 30 of 23 letters: 135 bits, where 128 are asked for (ASVS 5.0, 11.5.1). */
const GROUPS = 6;
const GROUP_LETTERS = 5;

/** A password for a user's first sign-in, such as `tbkqe-hmzra-…`: nobody can guess it, and it can be read aloud. */
export function makeInitialPassword(): string {
  const group = () => Array.from({ length: GROUP_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

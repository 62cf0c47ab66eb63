import { randomInt } from 'node:crypto';

/** Letters that are not confused when read aloud or copied by hand. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz';

/** 30 of 23 letters: 135 bits; ASVS 5.0, 11.5.1 asks for 128. */
const GROUPS = 6;
const GROUP_LETTERS = 5;

/** A password for a user's first sign-in, such as `tbkqe-hmzra-…`: not guessable, and easy to read aloud. */
export function makeInitialPassword(): string {
  const group = () => Array.from({ length: GROUP_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

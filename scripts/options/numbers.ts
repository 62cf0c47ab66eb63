import { InvalidArgumentError } from 'commander';

/** Parses a line number of a file, which is at least 2, since the header is line 1. */
export function lineNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 2) throw new InvalidArgumentError('Give a line number, 2 or more.');
  return Number(text);
}

export function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Give a port, 0 to 65535.');
  return Number(text);
}

/** Makes a parser of a number from 1 to `most`; `what` is how its message names the number. */
export function numberUpTo(most: number, what = 'a number from'): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Give ${what} 1 to ${most}.`);
  };
}

export function entryNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Give the number of an entry, 1 or more.');
  return Number(text);
}

/** Parses the length of a list. */
export const limitNumber = numberUpTo(999_999);

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('Give a number above zero.');
  return value;
}

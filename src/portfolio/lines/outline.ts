/** Lines without a country below one that has it, as in an outline that writes each country once. */
export type Outline = { lines: number; first: number };

/** More countries than there are: the cells are something else then. */
const MOST_COUNTRIES = 300;

/** Groups that make an outline: one line without a country may be an oversight. */
const LEAST_GROUPS = 2;

/**
 * Finds out whether a list writes each country on the first line of its group alone, as pivot tables do. The lines below it would lead to
 * companies without a country.
 */
export function makeOutline() {
  const countries = new Set<string>();
  let isOutline = true;
  let isGroup = false;
  let groups = 0;
  const without: Outline = { lines: 0, first: 0 };
  return {
    /** Adds a valid line, in the order of the file. */
    add(line: number, country: string | undefined): void {
      if (!isOutline) return;
      if (country === undefined) {
        // A list whose first line has no country is no outline.
        if (countries.size === 0) isOutline = false;
        if (!isGroup) groups += 1;
        if (without.lines === 0) without.first = line;
        without.lines += 1;
        isGroup = true;
        return;
      }
      isOutline = !countries.has(country) && countries.size < MOST_COUNTRIES;
      countries.add(country);
      isGroup = false;
    },
    /** The lines without a country, if the list is such an outline; to be called after all lines. */
    found: (): Outline | null => (isOutline && groups >= LEAST_GROUPS ? without : null),
  };
}

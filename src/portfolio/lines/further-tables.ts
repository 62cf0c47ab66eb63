/** A line that says what the table below it is. */
type Heading = { line: number; text: string };

/**
 * Finds the tables below the first one of a file, by their headers and headings, given in the file's order. Their lines are not those of the
 * first table, such as a list of blocked customers.
 *
 * @param titles the lines above the first header: a printed table repeats them at the top of each page
 */
export function makeFurtherTables(titles: readonly string[] = []) {
  const hasPageTitle = titles.some((title) => PAGE.test(title));
  let heading: Heading | null = null;
  let why: string | null = null;

  return {
    /** Why a line at this place is not read; null within the first table. */
    whyNotRead: (): string | null => why,
    /** A line that says nothing but `text`: a heading, unless pages of a printed table begin or end with it. */
    note(line: number, text: string): void {
      const page = PAGE.exec(text);
      // Where the title of the first page has its number, another title before a number is that of another list.
      const isNumber = page !== null && (!hasPageTitle || !/\p{L}/u.test(text.slice(0, page.index)));
      const isOfPage = !/\p{L}/u.test(text) || isNumber || titles.some((one) => masked(one) === masked(text));
      if (!isOfPage) heading = { line, text: text.trim() };
    },
    /** A buyer: the headings above it are not those of a header below it. */
    buyer(): void {
      heading = null;
    },
    /** The first header once more: of the next page or, below a heading, of another list. Answers the line's problem. */
    headerAgain(): string {
      why = heading === null ? null : belowHeading(heading);
      return HEADER_AGAIN;
    },
    /** A header of other columns. Answers the line's problem. */
    otherHeader(line: number): string {
      why = `This line is below another header, on line ${line}, which says what its cells mean: put that table into a file of its own.`;
      heading = null;
      return OTHER_HEADER;
    },
  };
}

/** The number of a page, in the usual languages. */
const PAGE =
  /(?<!\p{L})(?:pages?|pag|pg|p|seite|blatt|s|p[aá]gina|strona|sid[ae]|sivu|oldal|str[aá]n(?:a|ka)|стр(?:аница)?|sayfa|σελίδα)(?!\p{L})\P{L}*\d|\d\s*(?:页|頁|ページ)/iu;

/** A title without the numbers in it, such as the day of a list. */
const masked = (text: string): string => text.trim().replace(/\d+/g, '0');

function belowHeading({ line, text }: Heading): string {
  return `This line is below the heading “${text}” on line ${line} and the header once more, so it is in a list of its own. Put that list into a file of its own. If it belongs to the list above, remove that heading and the header below it.`;
}

const HEADER_AGAIN = 'This line repeats the header, as at the top of a printed page: remove it.';
const OTHER_HEADER =
  'This line is a header of other columns, or of the same ones in another order: put the table below it into a file of its own.';

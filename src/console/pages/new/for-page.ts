/** What a sentence says of the command line, and what it means on this page. The first that fits is taken, then the others. */
const WORDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/(?:say|with|say so with|say with) --map "([^"]*)="/g, 'read $1 below as “kept, not sent”'],
  [/or --map "([^"]*)="/g, 'or $1'],
  [/say so with --map "([^"]*)=([\w]+)"/g, 'read $1 below as $2'],
  [/say with --map "HEADER=(\w+)" which column it is/g, 'choose below which column is read as $1'],
  [/say --map "([^"]*)=([\w]+)"/g, 'read $1 below as $2'],
  [/unless you say so with --map/g, 'unless you choose so below'],
  [/say --decimal comma or --decimal point/g, 'choose “Decimals of amounts” below'],
  [/say --dates dmy or --dates mdy/g, 'choose “Dates” below'],
  [/--decimal comma or --decimal point/g, 'the choice “Decimals of amounts” below'],
  [/--dates dmy or --dates mdy/g, 'the choice “Dates” below'],
  [/with --header-line (\d+) or --header-line (\d+)/g, 'line $1 or $2, in “Header in line” below'],
  [/with --header-line N/g, 'in “Header in line” below'],
  [/, given by --header-line,/g, ', given as the header’s,'],
  [/--sheet NAME reads another one/g, 'choose another one below'],
  [/say --hidden-rows to include hidden rows/g, 'tick “Read hidden rows too” below'],
  [/(?:name it|name the right encoding) with --encoding/g, 'choose its encoding below'],
  [/say --same-buyer \d+ or write yes in a column same_buyer/g, 'press “It is the same buyer”'],
  [/say --same-buyer \d+/g, 'press “It is the same buyer”'],
  [/Import it into that one: npx limitline run FILE --portfolio "([^"]*)"\./g, 'Choose portfolio “$1” below.'],
  [/, and import it with --portfolio/g, ', and upload each for its own'],
  [
    /is not in the documents folder \S.*?: put it there, or correct the name/g,
    'was not uploaded with the file: upload both again, or correct the name',
  ],
  [/is not in the documents folder \S.*?: there is/g, 'was not uploaded: there is'],
];

/** A sentence about a file as it is to be read on this page: what a command's option does, is done here by a field. */
export function forPage(message: string): string {
  return WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
}

/** Whether a person may say of the line that it means the buyer whom its identifiers point to. */
export function isOfSameBuyer(message: string): boolean {
  return message.includes('--same-buyer');
}

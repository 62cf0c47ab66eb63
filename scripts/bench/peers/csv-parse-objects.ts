/**
 * The peer of `check`: csv-parse alone, each line an object, nothing checked. `node csv-parse-objects.ts FILE`.
 */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';

const [file = ''] = process.argv.slice(2);
let lines = 0;
for await (const _row of createReadStream(file).pipe(parse({ columns: true, bom: true }))) lines += 1;
process.stdout.write(`${JSON.stringify({ lines })}\n`);

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse';

/**
 * `npm run bench:csv [-- LINES [CASE]]` measures the speed and the peak memory of reading a file: csv-parse alone on a plain file, `check`
 * on that file and on one in the worst dialect, and `import` of both into Limitline's own Redis.
 */
const args = process.argv.slice(2);
const [lines, only] = [Number(args[0] ?? 1_000_000), args[1] ?? ''];
const LIMITLINE = fileURLToPath(new URL('../../scripts/limitline.ts', import.meta.url));
const SELF = fileURLToPath(import.meta.url);

/** A module that sends the peak of memory to us when the measured process ends. */
const REPORTER = "data:text/javascript,process.on('exit',()=>process.send(process.resourceUsage().maxRSS))";

if (args[0] === 'csv-parse') await parseAlone(args[1] ?? '');
else await compare();

async function compare(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'limitline-bench-'));
  const [plain, worst] = [join(dir, 'plain.csv'), join(dir, 'worst.csv')];
  try {
    await pipeline(Readable.from(plainLines()), createWriteStream(plain));
    await pipeline(Readable.from(worstLines()), createWriteStream(worst));
    await measure('csv-parse alone, objects', SELF, ['csv-parse', plain]);
    await measure('check, plain', LIMITLINE, ['check', plain, '--json'], dir);
    await measure('check, worst dialect', LIMITLINE, ['check', worst, '--json'], dir);
    // Each import has a data folder of its own, and so a Redis of its own, which Limitline starts.
    await measure('import, plain', LIMITLINE, ['import', plain, '--json'], join(dir, 'import-plain'));
    await measure('import, worst dialect', LIMITLINE, ['import', worst, '--json'], join(dir, 'import-worst'));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function measure(what: string, script: string, args: string[], cwd = process.cwd()): Promise<void> {
  if (!what.includes(only)) return;
  await mkdir(cwd, { recursive: true });
  const started = performance.now();
  const child = fork(script, args, {
    cwd,
    env: { ...process.env, LIMITLINE_DATA: join(cwd, 'data') },
    // The first option is the one that limitline.cjs gives to Node.
    execArgv: ['--max-semi-space-size=8', '--import', REPORTER],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let peakKb = 0;
  child.on('message', (kb) => {
    peakKb = Number(kb);
  });
  await once(child, 'close');
  const seconds = (performance.now() - started) / 1_000;
  const rate = Math.round(lines / seconds).toLocaleString('en');
  console.log(
    `${what.padEnd(26)}${rate.padStart(10)} lines/s ${Math.round(peakKb / 1_024)
      .toString()
      .padStart(6)} MB`,
  );
}

async function parseAlone(path: string): Promise<void> {
  for await (const _ of createReadStream(path).pipe(parse({ columns: true })));
}

/** Joins a thousand lines for each write. With a write for each line, writing would take most of the time. */
function* inPieces(line: (n: number) => string): Generator<string> {
  for (let from = 0; from < lines; from += 1_000) {
    yield Array.from({ length: Math.min(1_000, lines - from) }, (_none, place) => line(from + place)).join('');
  }
}

function* plainLines(): Generator<string> {
  yield 'name,country_code,city,company_registration_number,requested_limit,contact_email,request_reference\n';
  yield* inPieces((n) => `"Buyer ${n}, Sons",DE,Kiel,HRB ${n},${1_000 + (n % 9_000)}.50,a${n}@b.example,R-${n}\n`);
}

/**
 * The lines of a file in the worst dialect, in which every cell is changed that can be: windows-1252, semicolons, amounts and days that
 * only a pass over the whole file tells, countries by name, addresses without a scheme.
 */
function* worstLines(): Generator<Buffer> {
  yield Buffer.from('Firma;Land;Ort;Handelsregisternummer;Kreditlimit;Stichtag;Webseite;Antragsnummer;\r\n');
  const line = (n: number) =>
    `"M\u00fcller ${n}; S\u00f6hne";\u00d6sterreich;K\u00f6ln;HRB ${n};${1 + (n % 900)}.500;05/04/2025;www.b${n}.example;R-${n};\r\n`;
  for (const piece of inPieces(line)) yield Buffer.from(piece, 'latin1');
  yield Buffer.from('Tin;DE;Kiel;HRB 0;2,50;31/03/2025;;R;\r\n');
}

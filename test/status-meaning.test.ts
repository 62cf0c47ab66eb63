import { expect, test } from 'vitest';
import { readMeanings, splitMeanings } from '../src/status-meaning.ts';

test.each([
  ['', []],
  [
    'in_progress=review,declined=declined',
    [
      ['in_progress', 'review'],
      ['declined', 'declined'],
    ],
  ],
  [
    ' under review = review , , a=b=approved ',
    [
      ['under review', 'review'],
      ['a=b', 'approved'],
    ],
  ],
] as const)('%j is read as the meanings of statuses', (text, meanings) => {
  const read = readMeanings(splitMeanings(text));
  expect([[...read.meanings], read.faults]).toEqual([meanings, []]);
});

test.each([
  [
    'pending',
    '"pending" in it is not status=meaning: write status=meaning,status=meaning,… where each meaning is approved, review or declined',
  ],
  ['pending=maybe', '"pending=maybe" in it is not status=meaning'],
  ['=review', '"=review" in it is empty'],
  ['approved=declined', '"approved=declined" in it is "approved", whose meaning the service shows'],
  ['a=review;b=declined', '"a=review;b=declined" in it gives two meanings: write a comma between entries'],
  ['a = review b = declined', '"a = review b = declined" in it gives two meanings: write a comma between entries'],
  ['a=review,a=declined', '"a=declined" in it gives a status a second meaning'],
  [`${'é'.repeat(51)}=review`, 'in it is longer than 100 bytes'],
])('%s is refused', (text, fault) => {
  expect(readMeanings(splitMeanings(text)).faults).toEqual([expect.stringContaining(fault)]);
});

import { expect, test } from 'vitest';
import { isWebPage } from '../src/web-page.ts';

test.each([
  ['<!DOCTYPE html>\n<html lang="en">', true],
  ['\ufeff \n<!-- a proxy --><HTML>', true],
  ['<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">', true],
  ['<head><title>Sign in</title>', true],
  ['{"error":"<html>"}', false],
  ['<error>no</error>', false],
  ['', false],
])('%j counts as a web page: %s', (text, is) => {
  expect(isWebPage(text)).toBe(is);
});

// Beginnings that could be read in two ways would take longer than the age of the world.
test.each([
  ['comments', '<!-- closed -->\n'],
  ['comments without a break', '<!---->'],
  ['byte order marks', '\ufeff\t'],
  ['declarations', '<?xml version="1.0"?>'],
])('a text that begins with a thousand %s is judged at once', (_what, beginning) => {
  expect(isWebPage(`${beginning.repeat(1_000)}<html>`)).toBe(true);
  expect(isWebPage(`${beginning.repeat(1_000)}<div>`)).toBe(false);
});

import { expect, test } from 'vitest';
import { isWebPage } from '../../src/service/web-page.ts';

test.each([
  ['<!DOCTYPE html>\n<html lang="en">', true],
  ['\ufeff \n<!-- a proxy --><HTML>', true],
  ['<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">', true],
  ['<head><title>Sign in</title>', true],
  ['{"error":"<html>"}', false],
  ['<error>no</error>', false],
  ['', false],
])('%j is a web page: %s', (text, is) => {
  expect(isWebPage(text)).toBe(is);
});

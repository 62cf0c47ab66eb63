import { expect, test } from 'vitest';
import { joinStyles } from '../../../src/console/server/assets.ts';

test('shared styles are joined to one file and those of a page to another, without comments and indentation', () => {
  const files = [
    { name: 'styles/1-base.css', text: '/* A\n  comment { */\n.a {\n  content: "/* x\\" */  ";\n}\n' },
    { name: 'styles/9-narrow.css', text: '\n\n.b::before {\n  content: "";\n}\n' },
    { name: 'styles/page-new-draft.css', text: '.c {\n  color: red;\n}\n' },
    { name: 'styles/page-new.css', text: '.d { color: red }' },
  ];
  expect(joinStyles(files)).toEqual([
    {
      file: 'console.css',
      place: undefined,
      text: '\n.a {\ncontent: "/* x\\" */  ";\n}\n\n.b::before {\ncontent: "";\n}\n',
    },
    { file: 'new.css', place: 'new', text: '.c {\ncolor: red;\n}\n.d { color: red }' },
  ]);
});

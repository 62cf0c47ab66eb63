import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeDecoder } from '../../../src/table/encodings/decoders.ts';

test.each(['utf-16le', 'windows-1252', 'shift_jis', 'gb18030', 'euc-kr', 'koi8-r'])(
  'a %s decoder gives the text of TextDecoder, however the bytes are split',
  (encoding) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (bytes, size) => {
        const decoder = makeDecoder(encoding);
        let text = '';
        for (let at = 0; at < bytes.length; at += size)
          text += decoder.decode(Buffer.from(bytes.subarray(at, at + size)));
        text += decoder.end();
        const whole = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
        // How damage is shown depends on the platform; only valid text must be equal.
        if (!whole.includes('\ufffd') && text.isWellFormed()) expect(text).toBe(whole.replace(/^\ufeff/, ''));
        // UTF-16 may contain U+FFFD itself, which is not damage.
        if (whole.includes('\ufffd') && !text.includes('\ufffd')) expect(text.isWellFormed()).toBe(false);
      }),
    );
  },
);

import { describe, expect, it } from '@jest/globals';
import { quoted } from '../../workflows/cron-job/schedule/go-text.ts';

describe('a quoted text (J-9.1)', () => {
  it.each([
    ['a letter, a space and a sign', 'a é ☃ 漢 😀', 'a é ☃ 漢 😀'],
    ['controls', '\n\u0001\u007f\u0085', String.raw`\n\x01\x7f\u0085`],
    ['other spaces', '\u00a0\u2028\u3000', String.raw`\u00a0\u2028\u3000`],
    ['signs without a shape', '\u00ad\u200b\ufeff\u{e0020}', String.raw`\u00ad\u200b\ufeff\U000e0020`],
    ['private characters', '\ue000\u{f0000}', String.raw`\ue000\U000f0000`],
    ['a character that a later Unicode may name stays, whatever the engine knows of it', '\u0378', '\u0378'],
  ])('has its unprintable characters escaped: %s', (_what, text, expected) => {
    expect(quoted(text)).toBe(`"${expected}"`);
  });
});

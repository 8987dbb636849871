import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DIGEST_FILE, pageDigest } from './page-digest.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PICTURES = join(ROOT, 'docs', 'pictures');

describe('the pictures of the documentation', () => {
  it('show the present page: take them again with npm run screenshots after a change of page/', () => {
    expect(readFileSync(join(PICTURES, DIGEST_FILE), 'utf8').trim()).toBe(pageDigest(ROOT));
  });

  it('are all used in README.md or docs/page.md, which use no other pictures', () => {
    const texts = ['README.md', 'docs/page.md'].map((file) => readFileSync(join(ROOT, file), 'utf8')).join();
    const used = [...texts.matchAll(/pictures\/([\w-]+\.png)/g)].map(([, name = '']) => name);
    const taken = readdirSync(PICTURES).filter((name) => name.endsWith('.png'));
    expect(taken.filter((name) => !used.includes(name))).toEqual([]);
    expect(used.filter((name) => !existsSync(join(PICTURES, name)))).toEqual([]);
  });

  it('have at most 256 colours each, which keeps the repository small', () => {
    const withPalette = 3;
    const files = readdirSync(PICTURES).filter((name) => name.endsWith('.png'));
    const colourTypes = files.map((name) => readFileSync(join(PICTURES, name)).readUInt8(25));
    expect(new Set(colourTypes)).toEqual(new Set([withPalette]));
  });
});

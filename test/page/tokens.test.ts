import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const TOKENS = readFileSync(join(import.meta.dirname, '../../page/theme/tokens.css'), 'utf8');

/** Contrast that text needs (WCAG 2.2, 1.4.3). */
const LEAST = 4.5;

type Theme = 'light' | 'dark';

function colour(name: string, theme: Theme): string {
  const [, light, dark] =
    new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(TOKENS) ?? [];
  const found = theme === 'light' ? light : dark;
  if (found === undefined) throw new Error(`no token ${name}`);
  return found;
}

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const STATES = ['succeeded', 'failed', 'running', 'waiting', 'off'];
const PAIRS = [
  ...['background', 'panel', 'hover', 'brand-soft'].flatMap((ground) => [
    ['ink', ground],
    ['muted', ground],
    ['brand', ground],
  ]),
  ['on-brand', 'brand'],
  ['on-brand', 'failed'],
  ...STATES.flatMap((state) => [
    [state, `${state}-soft`],
    [state, 'panel'],
    ['ink', `${state}-soft`],
    ['brand', `${state}-soft`],
  ]),
];

describe.each(['light', 'dark'] as const)('the text colours of the page in the theme %s', (theme) => {
  it.each(PAIRS)('have enough contrast: %s on %s', (text = '', ground = '') => {
    expect(contrast(colour(text, theme), colour(ground, theme))).toBeGreaterThanOrEqual(LEAST);
  });
});

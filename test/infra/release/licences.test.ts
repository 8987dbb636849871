import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface LockedPackage {
  license?: string;
  dev?: boolean;
}

/** Licences under which what we ship may be used by everybody, without duties beyond naming the authors. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'Apache-2.0 AND MIT',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]);

/** Packages whose lock entry names no licence, with the one in their repository. */
const READ_BY_HAND: Readonly<Record<string, string>> = { unionfs: 'Unlicense' };

describe('the licence of each package in production', () => {
  it('permits everybody to use Jobledger with the package', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, LockedPackage>;
    };
    const shipped = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
    expect(shipped.length).toBeGreaterThan(100);
    const others = shipped
      .map(([path, { license }]) => [path.replace(/^.*node_modules\//, ''), license] as const)
      .filter(([name, license]) => !ALLOWED.has(license ?? READ_BY_HAND[name] ?? ''));
    expect(others).toEqual([]);
  });
});

import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { canonicalJson, computeDigest, isSameJson } from '../../workflows/ledger/digest.ts';

const OPTIONS = { numRuns: 300, seed: 5 };

/** The same value with the keys of every object reversed. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, part]) => [key, reversed(part)] as const)
      .toReversed(),
  );
}

describe('the canonical JSON of a value', () => {
  it('is the same text whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
        expect(computeDigest(reversed(value))).toBe(computeDigest(value));
      }),
      OPTIONS,
    );
  });

  it('has every digit of a bigint, and writes other numbers as JSON does', () => {
    const value = { b: [1n, undefined, { d: undefined, c: 9007199254740993n }], a: 'x', e: null };
    expect(canonicalJson(value)).toBe('{"a":"x","b":[1,null,{"c":9007199254740993}],"e":null}');
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(canonicalJson([json, 7n])).toBe(canonicalJson([json, 7]));
      }),
      OPTIONS,
    );
  });

  it('can be parsed, which gives the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(plain);
      }),
      OPTIONS,
    );
  });

  it('retains the order of lists, and omits fields that are undefined', () => {
    expect(canonicalJson({ b: [2, 1], a: undefined })).toBe('{"b":[2,1]}');
  });
});

describe('two JSON values', () => {
  it('are equal exactly when their canonical JSON is the same text', () => {
    const leaf = fc.constantFrom(0, 1, 'a', null, true, undefined);
    const { value: small } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 2 },
        leaf,
        fc.array(
          tie('value').filter((each) => each !== undefined),
          { maxLength: 2 },
        ),
        fc.dictionary(fc.constantFrom('0', '1', 'x'), tie('value'), { maxKeys: 2 }),
      ),
    }));
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(isSameJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
        expect(isSameJson(a, reversed(a))).toBe(true);
      }),
      { ...OPTIONS, numRuns: 5000 },
    );
  });

  it.each<[unknown, unknown, boolean]>([
    [{}, [], false],
    [[1], [1, 2], false],
    [[1, 2], [1], false],
    [{ a: 1 }, {}, false],
    [{}, { a: 1 }, false],
    [{ a: undefined }, {}, true],
    [{}, { a: undefined }, true],
    [null, {}, false],
    [{}, null, false],
    ['a', 'a', true],
    [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, true],
    [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }, false],
  ])('are compared by content: whether %j equals %j is %j', (a, b, expected) => {
    expect(isSameJson(a, b)).toBe(expected);
  });
});

describe('the digest of a value', () => {
  it('is 64 bits in hexadecimal, and changes with the value', () => {
    expect(computeDigest({ a: 1 })).toMatch(/^[0-9a-f]{16}$/);
    expect(computeDigest({ a: 1 })).not.toBe(computeDigest({ a: 2 }));
    expect(computeDigest({ a: 1 })).not.toBe(computeDigest({ a: '1' }));
  });
});

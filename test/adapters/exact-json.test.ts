import { describe, expect, it } from '@jest/globals';
import { assert, bigInt, jsonValue, property } from 'fast-check';
import { parseExact, stringifyExact } from '../../services/adapters/exact-json.ts';

const LONG = 9_007_199_254_740_993n;

describe('JSON with integers beyond 2^53', () => {
  it.each([
    ['9007199254740993', LONG],
    ['-9007199254740993', -LONG],
    ['{"a":[9007199254740993,1]}', { a: [LONG, 1] }],
    ['{"a": 9007199254740993 }', { a: LONG }],
    ['9007199254740991', 9007199254740991],
    ['{"a":"9007199254740993"}', { a: '9007199254740993' }],
    [String.raw`{"a":"{\"b\": 9007199254740993}"}`, { a: '{"b": 9007199254740993}' }],
    ['{"a":1e3,"b":1.5,"c":-0.25}', { a: 1000, b: 1.5, c: -0.25 }],
    [
      '{"a":9007199254740993,"b":1.5e-7,"c":0.1234567890123456}',
      { a: LONG, b: 1.5e-7, c: 0.1234567890123456 },
    ],
  ])('keeps every digit of %s', (text, value) => {
    expect(parseExact(text)).toEqual(value);
  });

  it('is written with every digit that the reader found', () => {
    expect(stringifyExact({ a: [LONG, undefined], b: undefined, c: 'x"y' })).toBe(
      '{"a":[9007199254740993,null],"c":"x\\"y"}',
    );
  });

  it('is serialised to the same text that was parsed', () => {
    assert(
      property(jsonValue(), bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value, integer) => {
        const text = `{"long":${integer},"rest":${JSON.stringify(value)}}`;
        expect(stringifyExact(parseExact(text))).toBe(
          stringifyExact(parseExact(stringifyExact(parseExact(text)))),
        );
        expect(stringifyExact(parseExact(text))).toContain(`"long":${integer},`);
      }),
    );
  });
});

describe('JSON without large integers', () => {
  it('is parsed and serialised as by the built-in JSON functions', () => {
    assert(
      property(jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(stringifyExact(parseExact(text))).toBe(text);
      }),
    );
  });
});

import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { deflateExactly } from '../../services/adapters/deflated.ts';

describe('compressed bytes that are kept in memory', () => {
  it('retain no larger buffer than their own length', () => {
    const bytes = Buffer.from('of a pod '.repeat(200));
    const kept = deflateExactly(bytes, { level: 1 });
    expect(inflateRawSync(kept)).toEqual(bytes);
    expect(kept.buffer.byteLength).toBe(kept.length);
  });
});

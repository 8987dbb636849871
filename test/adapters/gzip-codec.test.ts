import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { gzipCodec } from '../../services/adapters/temporal/gzip-codec.ts';

/** What ends first: this work, or a turn of the event loop that begins after it. */
async function settleFirst(work: () => Promise<unknown>): Promise<string> {
  const ended = work().then(() => 'the payload');
  return Promise.race([ended, setImmediate('others')]);
}

describe('a large payload of a workflow', () => {
  // A tenant's object of a megabyte is in each signal about it.
  const payload = { metadata: {}, data: Buffer.from(randomBytes(1_000_000).toString('base64')) };

  it('is compressed while the event loop does other work', async () => {
    expect(await settleFirst(() => gzipCodec.encode([payload]))).toBe('others');
  });

  it('is decompressed while the event loop does other work, and is unchanged', async () => {
    const encoded = await gzipCodec.encode([payload]);
    expect(encoded[0]?.data?.length).toBeLessThan(payload.data.length);
    expect(await settleFirst(() => gzipCodec.decode(encoded))).toBe('others');
    const [decoded] = await gzipCodec.decode(encoded);
    expect(Buffer.from(decoded?.data ?? []).equals(payload.data)).toBe(true);
  });
});

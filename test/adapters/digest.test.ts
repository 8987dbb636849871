import fc from 'fast-check';
import { computeDigest as digestOfNode } from '../../services/adapters/events/event-codec.ts';
import { computeDigest as digestOfCore } from '../../workflows/ledger/digest.ts';

describe('the digest that Node computes for an event', () => {
  it('equals the digest that the core computes, for any JSON', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(digestOfNode(value)).toBe(digestOfCore(value))));
  });

  it.each([
    ['keys in another order', { b: 1, a: [{ d: 2, c: 3 }] }],
    ['text beyond ASCII', { name: 'Übung \u{1F600}' }],
    ['an integer beyond 2^53', { seconds: 9_223_372_036_854_775_807n }],
  ])('equals the digest that the core computes, for %s', (_what, value) =>
    expect(digestOfNode(value)).toBe(digestOfCore(value)),
  );
});

import fc from 'fast-check';
import {
  hasNamespace,
  shardsOverlap,
  parseShard,
  namespaceShard,
  type Shard,
} from '../../services/shards/shards.ts';
import { isInPart, shardPart, partsOverlap, shardIn, type Part } from '../../services/shards/watch-names.ts';

const namespace = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
const shard: fc.Arbitrary<Shard> = fc
  .integer({ min: 1, max: 16 })
  .chain((of) => fc.integer({ min: 1, max: of }).map((index) => ({ index, of })));
const part: fc.Arbitrary<Part> = fc.oneof(namespace, shard.map(shardPart));

describe('the shards of a cluster', () => {
  it('are the same in every version, because the positions of watches depend on them', () => {
    expect(['default', 'team-a', 'team-b', 'kube-system'].map((name) => namespaceShard(name, 4))).toEqual([
      2, 1, 3, 1,
    ]);
  });

  it('contain each namespace exactly once', () => {
    fc.assert(
      fc.property(namespace, fc.integer({ min: 1, max: 16 }), (name, of) => {
        const having = Array.from({ length: of }, (_, at) => ({ index: at + 1, of })).filter((each) =>
          hasNamespace(each, name),
        );
        expect(having).toHaveLength(1);
      }),
    );
  });

  it('overlap with the shards of another division that have a namespace in common with them', () => {
    fc.assert(
      fc.property(shard, shard, namespace, (a, b, name) => {
        if (hasNamespace(a, name) && hasNamespace(b, name)) expect(shardsOverlap(a, b)).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(shardsOverlap({ index: 1, of: 2 }, { index: 2, of: 4 })).toBe(false);
    expect(shardsOverlap({ index: 1, of: 2 }, { index: 3, of: 4 })).toBe(true);
    expect(shardsOverlap({ index: 1, of: 2 }, { index: 3, of: 3 })).toBe(true);
  });

  it('are written as parts of a cluster, like namespaces, and are read back unchanged', () => {
    fc.assert(
      fc.property(part, part, namespace, (a, b, name) => {
        expect(partsOverlap(a, b)).toBe(partsOverlap(b, a));
        if (isInPart(a, name) && isInPart(b, name)) expect(partsOverlap(a, b)).toBe(true);
        const one = shardIn(a);
        expect(one === null ? a : shardPart(one)).toBe(a);
      }),
      { numRuns: 2000 },
    );
  });

  it('are given as their index and the number of shards, such as 2/4, and any other form is refused', () => {
    expect(parseShard('2/4')).toEqual({ index: 2, of: 4 });
    for (const wrong of ['', '2', '0/4', '5/4', '1/17', '2/4/6', 'a/b', '1.5/2'])
      expect(() => parseShard(wrong)).toThrow(/is not a shard; give a shard as 2\/4/);
  });
});

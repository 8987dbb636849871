import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createEventIndex } from '../../cli/verbs/import/event-index.ts';

const DIGEST = 'b18848165cd92626';

describe('the index of the events of a file', () => {
  it('contains each event once, with every digit of its id', () => {
    const index = createEventIndex();
    expect([index.add('a', DIGEST), index.add('a', DIGEST), index.add('a', '0000000000000001')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(new Set(index.digests('a'))).toEqual(new Set([DIGEST, '0000000000000001']));
    expect(index.digests('b')).toEqual([]);
  });

  it('returns a digest in an unknown form unchanged', () => {
    const index = createEventIndex();
    index.add('a', 'of an early version');
    expect(index.digests('a')).toEqual(['of an early version']);
    expect(index.mark('a', 'of an early version')).toBe(true);
  });

  it('marks only events that it contains, and each event once', () => {
    const index = createEventIndex();
    index.add('a', DIGEST);
    expect(index.isMarked('a', DIGEST)).toBe(false);
    expect([index.mark('b', DIGEST), index.mark('a', DIGEST), index.mark('a', DIGEST)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([index.isMarked('a', DIGEST), index.isMarked('b', DIGEST)]).toEqual([true, false]);
    expect(index.add('a', DIGEST)).toBe(false);
  });

  it('gives the same answers as plain sets of strings, also after it has grown', () => {
    const events = fc.array(fc.tuple(fc.nat(2000), fc.nat(3)), { minLength: 1000, maxLength: 4000 });
    fc.assert(
      fc.property(events, fc.array(fc.nat(2500)), (all, marked) => {
        const index = createEventIndex();
        const [held, marks] = [new Set<string>(), new Set<string>()];
        const toDigest = (digest: number): string => String(digest).padStart(16, '0');
        for (const [id, digest] of all) {
          expect(index.add(`job/${id}`, toDigest(digest))).toBe(!held.has(`${id} ${digest}`));
          held.add(`${id} ${digest}`);
        }
        for (const id of marked) {
          const [name, isNew] = [`${id} 1`, !marks.has(`${id} 1`)];
          expect(index.mark(`job/${id}`, toDigest(1))).toBe(held.has(name) && isNew);
          if (held.has(name)) marks.add(name);
        }
        for (let id = 0; id <= 2000; id += 7)
          for (let digest = 0; digest <= 3; digest += 1)
            expect(index.isMarked(`job/${id}`, toDigest(digest))).toBe(marks.has(`${id} ${digest}`));
      }),
      { numRuns: 10 },
    );
  });

  it('takes at most 64 bytes per event', () => {
    const program = ['--expose-gc', 'test/support/event-index-memory.ts', '300000'];
    const perEvent = Number(execFileSync(process.execPath, program, { encoding: 'utf8' }));
    expect(perEvent).toBeLessThan(64);
    expect(perEvent).toBeGreaterThan(25);
  });
});

import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { generateName, podOrdinal, podName } from '../../../workflows/job/definitions/pod-names.ts';

const job = fc.record({ uid: fc.uuid(), name: fc.stringMatching(/^[a-z]([a-z0-9-]{0,60}[a-z0-9])?$/) });
const index = fc.option(fc.nat(99_999), { nil: undefined });
const OPTIONS = { numRuns: 300, seed: 3 };

describe('the names of created pods (J-5.1)', () => {
  it('have the form that the API server gives: a base, then five letters or digits of its alphabet', () => {
    fc.assert(
      fc.property(job, fc.nat(14_348_906), index, (of, ordinal, at) => {
        const name = podName(of, ordinal, at);
        expect(name.slice(0, -5)).toBe(generateName(of.name, at).slice(0, 58));
        expect(name.slice(-5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        expect(name.length).toBeLessThanOrEqual(63);
      }),
      OPTIONS,
    );
  });

  it('truncate the Job’s name so that the index stays complete', () => {
    const long = 'a'.repeat(63);
    expect(generateName(long, 12_345)).toBe(`${'a'.repeat(51)}-12345-`);
    expect(generateName('pi', 3)).toBe('pi-3-');
  });

  it('are truncated to 58 characters before the suffix, as by the API server, for a NonIndexed Job', () => {
    const long = 'a'.repeat(63);
    expect(generateName(long)).toBe(`${long}-`);
    expect(podName({ uid: 'u-1', name: long }, 0).slice(0, -5)).toBe('a'.repeat(58));
  });

  it('have no dash after the name of the Job when that name already has 253 characters', () => {
    expect(generateName('a'.repeat(252))).toBe(`${'a'.repeat(252)}-`);
    expect(generateName('a'.repeat(253))).toBe('a'.repeat(253));
  });

  it('contain the ordinal, which can be read from the name, so that no two pods of a Job share a name', () => {
    fc.assert(
      fc.property(job, fc.nat(14_348_906), index, (of, ordinal, at) => {
        expect(podOrdinal(of, podName(of, ordinal, at), at)).toBe(ordinal);
      }),
      OPTIONS,
    );
  });

  it('are all different for the first 5000 pods of a Job', () => {
    const names = Array.from({ length: 5000 }, (_none, ordinal) =>
      podName({ uid: 'u-1', name: 'pi' }, ordinal),
    );
    expect(new Set(names).size).toBe(5000);
  });

  it('differ between Jobs of the same name', () => {
    expect(podName({ uid: 'u-1', name: 'pi' }, 0)).not.toBe(podName({ uid: 'u-2', name: 'pi' }, 0));
  });

  it.each(['other-bcdfg', 'pi-bcdf', 'pi-bcdfgh', 'pi-bcdfa', 'pi'])(
    'are recognised by their form, which %s does not have',
    (name) => {
      expect(podOrdinal({ uid: 'u-1', name: 'pi' }, name)).toBeNull();
    },
  );
});

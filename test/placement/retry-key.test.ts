import { describe, expect, it } from '@jest/globals';
import { isKeyOfCluster } from '../../workflows/placement/definitions/retry-key.ts';

describe('the key under which errors of commands are counted (J-16.20)', () => {
  it.each([
    ['CreateMember@west', 'west', true],
    ['CreateMember@admin@west', 'admin@west', true],
    ['CreateMember@admin@west', 'west', false],
    ['CreateMember@west', 'est', false],
    ['WriteStatus', 'WriteStatus', false],
  ])('%s is of the cluster %s: %s', (key, cluster, isOfCluster) => {
    expect(isKeyOfCluster(key, cluster)).toBe(isOfCluster);
  });
});

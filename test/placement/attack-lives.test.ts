import { describe, expect, it } from '@jest/globals';
import { placedLife } from '../lives/placed-life.ts';

describe('a life of a placed Job that is deleted just after its home was restored, which is noticed later', () => {
  it('ends (seed 500582)', async () => {
    expect((await placedLife(500_582)).problems.map((each) => each.slice(0, 160))).toEqual([]);
  });
});

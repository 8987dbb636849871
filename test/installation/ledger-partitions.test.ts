import { describe, expect, it } from '@jest/globals';
import { partitionProblem } from '../../services/installation/ledger-partitions.ts';

const of8 = { topic: 'l', configured: 8, found: 8, begun: 8 };

describe('the partition count of a ledger', () => {
  it('is valid when configuration, topic and record agree, or when no count is recorded', () => {
    expect(partitionProblem(of8)).toBeNull();
    expect(partitionProblem({ ...of8, begun: null })).toBeNull();
  });

  it('stays the same when an operator adds partitions', () => {
    expect(partitionProblem({ ...of8, found: 16 })).toBeNull();
  });

  it('cannot be raised, even together with the number of partitions of the topic', () => {
    expect(partitionProblem({ ...of8, found: 16, configured: 16 })).toBe(
      'the ledger l has used 8 partitions from its beginning, but JOBLEDGER_LEDGER_PARTITIONS is 16; with another count the events of a Job would be in two partitions and out of order: set the variable to 8',
    );
  });

  it('must be the count of the topic while no count is recorded', () => {
    expect(partitionProblem({ ...of8, found: 16, begun: null })).toBe(
      'the topic l has 16 partitions, but JOBLEDGER_LEDGER_PARTITIONS is 8; the count cannot change; set the variable to the count with which the ledger began (16, unless an operator has added partitions since)',
    );
    expect(partitionProblem({ ...of8, found: 4, begun: null })).toBe(
      'the topic l has 4 partitions, but JOBLEDGER_LEDGER_PARTITIONS is 8; the count cannot change; set the variable to 4',
    );
  });

  it('cannot be the count of a topic that has lost partitions', () => {
    expect(partitionProblem({ ...of8, found: 4 })).toContain('has 4 partitions');
  });
});

import { lostAnswers } from './lost-answers.ts';

const CREATION = { method: 'POST', url: '/apis/batch/v1/namespaces/team/jobs' };

describe('creations of Jobs whose answers are lost', () => {
  it('the first one has no answer, and later ones are refused or have no answer', () => {
    const losses = lostAnswers();
    const { faultOf } = losses.requestsTo('west');
    losses.begin('west', 1);
    const faults = Array.from({ length: 200 }, () => faultOf(CREATION));
    expect(faults[0]).toBe('unanswered');
    const codes = new Set(faults.map((fault) => (typeof fault === 'string' ? fault : fault?.status)));
    expect([...codes].toSorted()).toEqual([403, 422, 500, 'unanswered']);
    expect(losses.unanswered + losses.refused).toBe(200);
  });

  it('nothing else has a fault: other requests, other clusters, and what comes before and after', () => {
    const losses = lostAnswers();
    const { faultOf } = losses.requestsTo('west');
    const before = faultOf(CREATION);
    losses.begin('west', 1);
    const others = [
      { ...CREATION, method: 'GET' },
      { ...CREATION, url: `${CREATION.url}/pi` },
      { ...CREATION, url: '/api/v1/namespaces/team/pods' },
    ].map(faultOf);
    const elsewhere = losses.requestsTo('north').faultOf(CREATION);
    losses.end('west');
    expect([before, ...others, elsewhere, faultOf(CREATION)]).toEqual([null, null, null, null, null, null]);
  });
});

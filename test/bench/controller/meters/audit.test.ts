import { requestsIn, writesAndReads } from './audit.ts';

function logged(verb: string, resource: string, more: object = {}): string {
  const event = {
    stage: 'ResponseComplete',
    verb,
    user: { username: 'us' },
    objectRef: { resource },
    ...more,
  };
  return JSON.stringify(event);
}

describe('the requests in an audit log', () => {
  it('are counted by verb, resource and subresource, for one user', () => {
    const status = { objectRef: { resource: 'jobs', subresource: 'status' } };
    const log = [
      logged('create', 'pods'),
      logged('create', 'pods'),
      logged('update', 'jobs', status),
      logged('create', 'pods', { user: { username: 'another' } }),
      logged('get', '', { objectRef: undefined }),
      logged('create', 'pods', { responseStatus: { code: 409 } }),
    ];
    expect(requestsIn(log.join('\n'), 'us')).toEqual({
      'create pods': 2,
      'update jobs/status': 1,
      'get others': 1,
      'create pods answered 409': 1,
    });
  });

  it('include each watch once, when it begins', () => {
    const log = [logged('watch', 'pods', { stage: 'ResponseStarted' }), logged('watch', 'pods')];
    expect(requestsIn(log.join('\n'), 'us')).toEqual({ 'watch pods': 1 });
  });
});

describe('the numbers of writes and reads in an audit log', () => {
  it('omit Leases', () => {
    const requests = {
      'create pods': 2,
      'patch pods': 3,
      'get jobs': 5,
      'watch pods': 1,
      'update leases': 9,
      'get leases': 7,
    };
    expect(writesAndReads(requests)).toEqual({ writes: 5, reads: 6 });
  });
});

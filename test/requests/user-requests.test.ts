import { describe, expect, it } from '@jest/globals';
import { requireRequestable } from '../../services/requests/user-requests.ts';
import type { JobView } from '../../services/read-model/views/jobs.ts';

describe('a user request for the member of a placed Job (BR-61)', () => {
  const job = { cluster: 'west', namespace: 'team', name: 'pi', deleted_at: null, finished_at: null };
  const member = { ...job, claimed: true, member: true } as unknown as JobView;

  it.each(['suspend', 'resume'] as const)(
    'cannot %s the member, because the home decides about it',
    (request) => {
      const home = { cluster: 'east', namespace: 'team', name: 'pi', uid: 'home-uid' };
      expect(() => requireRequestable(member, request, home)).toThrow(
        `cannot ${request} west/team/pi: it runs a placed Job, whose home decides about it; use east/team/pi instead`,
      );
      // Who asks may not see the home.
      expect(() => requireRequestable(member, request, null)).toThrow('use that Job instead');
      expect(() => requireRequestable({ ...member, member: false }, request, null)).not.toThrow();
    },
  );
});

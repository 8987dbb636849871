import type { Socket } from 'node:net';
import { ProblemError } from '../../adapters/http/problem.ts';

interface StreamLimits {
  maxStreams: number;
  maxStreamsOfCaller: number;
  /** Called with the number of open streams when it changes. */
  count: (open: number) => void;
}

/** The places of open streams; a connection has at most one. */
interface StreamPlaces {
  /**
   * Returns a function that frees the place, and that may be called repeatedly. @throws ProblemError if no place is
   * free.
   */
  take: (who: string, socket: Socket) => () => void;
}

export function streamPlaces({ maxStreams, maxStreamsOfCaller, count }: StreamLimits): StreamPlaces {
  const taken = new Map<Socket, string>();
  return {
    take(who, socket) {
      if (socket.destroyed) throw new ProblemError('bad-request', 'the connection is closed');
      if (taken.has(socket)) throw tooMany('this connection already has a stream; open another connection');
      if (taken.size >= maxStreams) throw tooMany(`${maxStreams} streams are open; ${ADVICE}`);
      if ([...taken.values()].filter((each) => each === who).length >= maxStreamsOfCaller)
        throw tooMany(`${maxStreamsOfCaller} of your streams are open; ${ADVICE}`);
      taken.set(socket, who);
      count(taken.size);
      return () => {
        if (taken.delete(socket)) count(taken.size);
      };
    },
  };
}

const ADVICE = 'close one, or try again later';

function tooMany(detail: string): ProblemError {
  return new ProblemError('too-many-streams', detail, { headers: { 'retry-after': '10' } });
}

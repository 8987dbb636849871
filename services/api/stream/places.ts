import type { Socket } from 'node:net';
import { ProblemError } from '../../adapters/http/problem.ts';

interface StreamLimits {
  maxStreams: number;
  maxStreamsOfCaller: number;
  /** Receives the number of open streams when the number changes. */
  count: (open: number) => void;
}

/** The places of open streams; a connection has at most one. */
interface StreamPlaces {
  /**
   * Takes a place. Returns a function that frees the place and may be called repeatedly. @throws ProblemError if no
   * place is free.
   */
  take: (who: string, socket: Socket) => () => void;
}

/** Limits the number of open streams, in total and for each caller. */
export function createStreamPlaces({ maxStreams, maxStreamsOfCaller, count }: StreamLimits): StreamPlaces {
  const taken = new Map<Socket, string>();
  return {
    take(who, socket) {
      if (socket.destroyed) throw new ProblemError('bad-request', 'the connection is closed');
      if (taken.has(socket))
        throw tooManyStreamsProblem('this connection already has a stream; open another connection');
      if (taken.size >= maxStreams) throw tooManyStreamsProblem(`${maxStreams} streams are open; ${ADVICE}`);
      if ([...taken.values()].filter((each) => each === who).length >= maxStreamsOfCaller)
        throw tooManyStreamsProblem(`${maxStreamsOfCaller} of your streams are open; ${ADVICE}`);
      taken.set(socket, who);
      count(taken.size);
      return () => {
        if (taken.delete(socket)) count(taken.size);
      };
    },
  };
}

const ADVICE = 'close one, or try again later';

function tooManyStreamsProblem(detail: string): ProblemError {
  return new ProblemError('too-many-streams', detail, { headers: { 'retry-after': '10' } });
}

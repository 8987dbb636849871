import { createRequire } from 'node:module';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { checkOnlyWaitingRequests } from '../../services/adapters/kafka/idle-connections.ts';

/** The queue of one connection of kafkajs, as its connection makes it. */
interface Queue {
  push(request: object): void;
  fulfillRequest(response: object): void;
  maybeThrottle(milliseconds: number): void;
  destroy(): void;
}

const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as new (
  options: object,
) => Queue;

let queue: Queue;
let sent: number[];

beforeAll(checkOnlyWaitingRequests);

beforeEach(() => {
  jest.useFakeTimers();
  sent = [];
  const logger = { debug: () => undefined };
  queue = new RequestQueue({
    maxInFlightRequests: 1,
    requestTimeout: 1000,
    clientId: '',
    broker: '',
    logger,
  });
});

afterEach(() => {
  queue.destroy();
  jest.useRealTimers();
});

function push(correlationId: number): void {
  queue.push({
    entry: { correlationId, resolve: () => undefined, reject: () => undefined },
    expectResponse: true,
    sendRequest: () => void sent.push(correlationId),
  });
}

function answer(correlationId: number): void {
  queue.fulfillRequest({ correlationId, payload: null, size: 0 });
}

describe('a connection to Kafka', () => {
  it('needs no timer while no request waits', () => {
    push(1);
    answer(1);
    expect(sent).toEqual([1]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('sends the waiting requests after a response', () => {
    push(1);
    push(2);
    expect(sent).toEqual([1]);
    answer(1);
    expect(sent).toEqual([1, 2]);
    answer(2);
    jest.advanceTimersByTime(100);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('sends the requests that waited for the quota when the quota allows them', () => {
    queue.maybeThrottle(500);
    push(1);
    jest.advanceTimersByTime(490);
    expect(sent).toEqual([]);
    jest.advanceTimersByTime(20);
    expect(sent).toEqual([1]);
    answer(1);
    jest.advanceTimersByTime(100);
    expect(jest.getTimerCount()).toBe(0);
  });
});

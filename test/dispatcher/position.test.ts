import { createPosition } from '../../services/dispatcher/assignments/position.ts';

describe('the position of a partition in the dispatcher', () => {
  it('never passes an unsent event, in whatever order events are sent', () => {
    const position = createPosition(2n);
    for (const offset of [3n, 4n, 5n]) position.begin(offset);
    position.read(9n);
    expect(position.due()).toBe(3n);
    position.finish(4n);
    expect(position.due()).toBe(3n);
    position.finish(3n);
    expect(position.due()).toBe(5n);
    position.finish(5n);
    expect(position.due()).toBe(9n);
    expect(position.inFlight()).toBe(0);
  });

  it('is committed again until Kafka accepts it, however often the commit fails', () => {
    const position = createPosition(0n);
    position.read(7n);
    expect([position.due(), position.due()]).toEqual([7n, 7n]);
    position.commit(7n);
    expect(position.due()).toBeNull();
  });

  it('never decreases below the committed position of the group', () => {
    const position = createPosition(41n);
    expect(position.due()).toBeNull();
    position.finish(40n);
    expect(position.due()).toBeNull();
    expect(position.next()).toBe(41n);
  });
});

import { createNotifier } from '../../services/adapters/waiting/notifier.ts';

describe('waiters for a change', () => {
  it('all continue when the change is notified, and then wait for the next change', async () => {
    const { notify, next } = createNotifier();
    const reached: string[] = [];
    const waiting = ['a', 'b'].map((name) => next().then(() => reached.push(name)));
    notify();
    await Promise.all(waiting);
    expect(reached).toEqual(['a', 'b']);
    const again = next().then(() => 'notified again');
    notify();
    await expect(again).resolves.toBe('notified again');
  });

  it('continue at their time limit when no change is notified', async () => {
    await expect(createNotifier().next(1)).resolves.toBeUndefined();
  });
});

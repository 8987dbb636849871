import { createNotifier } from '../../services/dispatcher/mailboxes/notifier.ts';

describe('those who wait for a change', () => {
  it('all go on when it is notified, and wait for the next one then', async () => {
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

  it('go on at their limit when nothing changes', async () => {
    await expect(createNotifier().next(1)).resolves.toBeUndefined();
  });
});

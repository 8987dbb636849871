import { countEvents } from './temporal-counts.ts';

describe('the histories of measured workflows', () => {
  it('are counted together, with one number for each kind of event that costs much', () => {
    const task = { workflowTaskCompletedEventAttributes: {}, workflowExecutionSignaledEventAttributes: null };
    const marker = { markerRecordedEventAttributes: { workflowTaskCompletedEventId: 4n } };
    const signal = { workflowExecutionSignaledEventAttributes: {} };
    expect(
      countEvents([
        [signal, {}, task],
        [signal, signal, marker],
      ]),
    ).toEqual({
      'workflow tasks': 1,
      signals: 3,
      activities: 0,
      markers: 1,
      timers: 0,
      'history events': 6,
      'Temporal actions': 6,
    });
  });
});

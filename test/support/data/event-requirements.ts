/** What the group events.k8s.io requires of a new event, and a core event may leave out. */
export const eventDemands = {
  eventTime: '2020-01-02T03:04:05.000006Z',
  reportingController: 'example.org/c',
  reportingInstance: 'c-1',
  action: 'Look',
  reason: 'Seen',
  type: 'Normal',
} as const;

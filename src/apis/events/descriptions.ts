/** What events say, as `kubectl explain` shows it. */

export const eventDescriptions = `
events.Event Something that happened to an object. Events go after a while.
  eventTime When it was first seen, to the microsecond.
  series That it goes on, if it does.
  reportingController Which controller reports it.
  reportingInstance Which copy of the controller.
  action What was done, or failed.
  reason Why, in one word, for programs.
  regarding What it happened to.
  related Another object it has to do with.
  note What happened, for people.
  type Normal or Warning.
  deprecatedSource Who reports it, as older clients say it.
  deprecatedFirstTimestamp When it was first seen, as older clients say it.
  deprecatedLastTimestamp When it was last seen, as older clients say it.
  deprecatedCount How often it was seen, as older clients say it.
events.EventSeries An event that goes on.
  count How often it was seen.
  lastObservedTime When it was last seen.
`;

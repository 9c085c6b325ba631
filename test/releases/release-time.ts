/** The day of data/switches, in the evening. */
export const RELEASE_TIME = new Date('2026-03-10T21:00:00Z')

export const minutesBefore = (minutes: number): Date => new Date(RELEASE_TIME.getTime() - minutes * 60_000)

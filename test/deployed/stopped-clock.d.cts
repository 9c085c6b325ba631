export const stopClock: (moment: Date) => void

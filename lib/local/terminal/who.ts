import { userInfo } from 'node:os'

/** Whom a log names where nobody says who it is: the user of this machine. */
export const whoIsHere = (): string => `${userInfo().username} at the terminal`

/** What went wrong in words for the person at the terminal, with the way out. Anything else thrown is a bug. */
export class Failure extends Error {}

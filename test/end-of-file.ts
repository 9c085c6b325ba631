/**
 * Cleanup at the end of a test file, such as of a table that `beforeAll` created. It imports nothing: every
 * test file loads it, and most need no table, whose client loads longer than they run.
 */
export const atEndOfFile: (() => Promise<void>)[] = []

/**
 * What tests share is cleaned up at the end of their file, such as a table that `beforeAll` has created. This list imports nothing:
 * every test file loads it, and most need no table, whose client takes longer to load than they run.
 */
export const atEndOfFile: (() => Promise<void>)[] = []

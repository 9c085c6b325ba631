import { parse } from 'shell-quote'

/** Whether a line is one of curl, as docs and people write it: a prompt before it does not matter. */
export const isCurl = (line: string): boolean => /^\s*(\$ )?curl\s/.test(line)

/** The path of a call with its query, wherever a line has it; `undefined` when it names no call. */
export const callUrlIn = (line: string): string | undefined => line.match(/[^\s"']*\/api\/[^\s"']+/)?.[0]

/** The words of a line as a shell splits them; `$NAME` stays as it is, for nobody here knows its value. */
export const wordsOf = (line: string): string[] =>
  parse(line.replace(/^\s*\$ /, ''), (name) => `$${name}`).flatMap((word) => {
    if (typeof word === 'string') return [word]
    return 'pattern' in word ? [word.pattern] : []
  })

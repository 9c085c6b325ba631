import { parse } from 'shell-quote'

/** Whether a line is a curl command. It may begin with a shell prompt, as in documentation. */
export const isCurl = (line: string): boolean => /^\s*(\$ )?curl\s/.test(line)

/** The URL of a call, with its query, anywhere in a line; `undefined` if there is none. */
export const callUrlIn = (line: string): string | undefined => line.match(/[^\s"']*\/api\/[^\s"']+/)?.[0]

/**
 * The words of a line as a shell splits them. A variable such as `$NAME` is kept as text, since its value is unknown. An
 * unquoted pattern such as `a=*` is kept as well.
 */
export const shellWords = (line: string): string[] =>
  parse(line.replace(/^\s*\$ /, ''), (name) => `$${name}`).flatMap((word) => {
    if (typeof word === 'string') return [word]
    return 'pattern' in word ? [word.pattern] : []
  })

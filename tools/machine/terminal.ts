import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { escapeControls } from '#lib/base/text.ts'

/**
 * A message for the operator that names the remedy. Any other error is a bug, unless it names itself. A class
 * of its own, because its sentence is the terminal's: it speaks of options and of the machine's files.
 */
export class CommandError extends Error {
  /** The command line is wrong or lacks an option. */
  readonly isUsage: boolean = false
}

export const usageError = (message: string): CommandError =>
  Object.assign(new CommandError(message), { isUsage: true })

/** The operator that a log names without `--as`: the user of this machine. */
export const terminalUser = (): string => `${userInfo().username} at the terminal`

/** Prints a line. Its control characters are escaped, except line feeds and tabs. */
export const printLine = (line: string): void => void process.stdout.write(`${escapeLines(line)}\n`)

/** Prints the lines and returns the value that follows them. */
export async function printLines<T>(lines: AsyncGenerator<string, T>): Promise<T> {
  for (;;) {
    const { done, value } = await lines.next()
    if (done) return value
    printLine(value)
  }
}

/** Prints a line on standard error, which a pipe of the output does not get. */
export const printNote = (line: string): void => void process.stderr.write(`${escapeLines(line)}\n`)

/** Prints an answer. Control characters are escaped at a terminal only: a pipe gets it unchanged. */
export const printAnswer = (answer: string): void =>
  void process.stdout.write(`${process.stdout.isTTY ? escapeLines(answer) : answer}\n`)

/** Escapes control characters of a text, except its line feeds and tabs. */
export const escapeLines = (lines: string): string => lines.replace(/[^\n\t]+/g, escapeControls)

export async function askLine(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return (await terminal.question(`${question} `)).trim()
  } catch (error) {
    // The cursor is still after the question.
    process.stdout.write('\n')
    throw error
  } finally {
    terminal.close()
  }
}

/** Repeats a question until the answer is one of the choices. */
export type AskChoice = (question: string, choices: readonly string[]) => Promise<string>

/** A terminal, as far as a command uses it. */
export interface Terminal {
  readonly say: (line: string) => void
  /** `undefined` if no person can answer. */
  readonly ask: AskChoice | undefined
}

/** Returns `undefined` without a terminal, where a question cannot be answered. */
export const terminalChooser = (): AskChoice | undefined =>
  process.stdin.isTTY && process.stdout.isTTY ? askChoice : undefined

/** Asks a question with yes or no. Without a terminal the answer is no. */
export const agreesTo = async (question: string): Promise<boolean> =>
  (await terminalChooser()?.(question, ['yes', 'no'])) === 'yes'

async function askChoice(question: string, choices: readonly string[]): Promise<string> {
  for (;;) {
    const answer = chosenBy(await askLine(`${question} [${choices.join('/')}]`), choices)
    if (answer !== undefined) return answer
  }
}

/** The only choice that begins with the answer, as yes for `y`; `undefined` if none or several do. */
export function chosenBy(answer: string, choices: readonly string[]): string | undefined {
  if (choices.includes(answer)) return answer
  const [choice, ...others] = choices.filter((one) => one.startsWith(answer.toLowerCase()))
  return others.length === 0 ? choice : undefined
}

/** Asks for a secret without an echo. */
export async function askSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  // From here on the terminal shows nothing: an answer may come before the question is read.
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  process.stderr.write(question)
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

/** Asks for a new secret twice, until both are the same. */
export async function askNewSecret(name: string): Promise<string> {
  for (;;) {
    const secret = await askSecret(`New ${name}: `)
    if ((await askSecret(`Repeat the ${name}: `)) === secret) return secret
    printNote(`The two texts of the ${name} differ`)
  }
}

/** The text of standard input, without the end of its last line. */
export const secretFromInput = async (): Promise<string> => (await text(process.stdin)).replace(/\r?\n$/, '')

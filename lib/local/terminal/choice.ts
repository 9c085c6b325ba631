import { createInterface } from 'node:readline/promises'

/** Asks until one of the choices is given. */
export type Ask = (question: string, choices: readonly string[]) => Promise<string>

/** How questions are asked; `undefined` where nobody sits at a terminal who could answer. */
export const chooser = (): Ask | undefined => (process.stdin.isTTY && process.stdout.isTTY ? ask : undefined)

async function ask(question: string, choices: readonly string[]): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    for (;;) {
      const answer = (await terminal.question(`${question} [${choices.join('/')}] `)).trim()
      if (choices.includes(answer)) return answer
    }
  } finally {
    terminal.close()
  }
}

import { createInterface } from 'node:readline/promises'

/** Whether somebody sits there who could answer. */
export const isAtTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY

/** Asks at the terminal for a line of text. */
export async function askLine(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return (await terminal.question(`${question} `)).trim()
  } finally {
    terminal.close()
  }
}

import { askLine, isAtTerminal } from './line.ts'

/** Asks until one of the choices is given. */
export type Ask = (question: string, choices: readonly string[]) => Promise<string>

/** How questions are asked; `undefined` where nobody sits at a terminal who could answer. */
export const chooser = (): Ask | undefined => (isAtTerminal() ? ask : undefined)

async function ask(question: string, choices: readonly string[]): Promise<string> {
  for (;;) {
    const answer = await askLine(`${question} [${choices.join('/')}]`)
    if (choices.includes(answer)) return answer
  }
}

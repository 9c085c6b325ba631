import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** Shows nothing of what is typed. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Asks at the terminal for something that must not be seen. */
export async function askSecret(question: string): Promise<string> {
  process.stderr.write(question)
  const terminal = createInterface({ input: process.stdin, output: nowhere(), terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

/** What comes on standard input, without the end of its line. */
export const secretFromInput = async (): Promise<string> => (await text(process.stdin)).replace(/\r?\n$/, '')

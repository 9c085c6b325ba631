import { InvalidArgumentError, Option } from '@commander-js/extra-typings'

/** The option `--port` of a command that serves something on this machine. */
export const portOption = (description: string, port: number) =>
  new Option('--port <N>', description).argParser(portIn).default(port)

function portIn(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  throw new InvalidArgumentError('Use a number from 1 to 65535.')
}

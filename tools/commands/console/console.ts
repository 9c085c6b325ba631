import type { Command } from '@commander-js/extra-typings'
import { portOption } from '../../command-line/arguments.ts'
import { printLine } from '../../machine/terminal.ts'
import { serveRemoteConsole } from '../../server/remote-console.ts'
import { baseUrl } from '../call/method-call.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It serves the page on this machine and forwards its calls to the API, such as that of a stage without a console. The page \
signs in the browser: the key is neither sent nor kept.',
    )
    .requiredOption('--url <URL>', 'the address of the API, with or without https:// and /api')
    .addOption(portOption('the port of the page', 3100))
    .action(async ({ url, port }) => {
      const base = baseUrl(url)
      const console = await serveRemoteConsole(port, base)
      printLine(`Console of ${base}: ${console.url}/. Ctrl-C stops it.`)
      await new Promise((end) => {
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
      })
      await console.stop()
    })

import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail as it came: its envelope and its text. */
export interface ArrivedMail {
  readonly from: string
  readonly to: string
  readonly text: string
  readonly user: string | undefined
}

const refusal = (responseCode: number, words: string) => Object.assign(new Error(words), { responseCode })

/** The fate of mails by the name before the @: refused, refused for now, taken without an answer. */
const REFUSALS = { gone: refusal(550, 'No such user'), full: refusal(452, 'Mailbox full') }

/** A mail server on this machine, which keeps what comes. Its certificate has expired. */
export async function aMailServer(password?: string, isOverTls = false) {
  const mails: ArrivedMail[] = []
  const server = new SMTPServer({
    ...(password === undefined
      ? { authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'] }
      : { allowInsecureAuth: true, disabledCommands: isOverTls ? [] : ['STARTTLS'] }),
    onAuth: (auth, _session, callback) =>
      auth.password === password
        ? callback(null, { user: auth.username })
        : callback(new Error('Invalid username or password')),
    onRcptTo: ({ address }, _session, callback) =>
      callback(REFUSALS[address.split('@')[0] as keyof typeof REFUSALS] ?? null),
    onData: (stream, session, callback) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const to = rcptTo.map(({ address }) => address).join(',')
        const text = Buffer.concat(pieces).toString('utf8')
        mails.push({ from: mailFrom ? mailFrom.address : '', to, text, user: session.user })
        // The server takes this one, and its answer is lost.
        if (to.startsWith('lost@')) [...server.connections].find(({ id }) => id === session.id)?.close()
        else callback()
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    mails,
    setting: `127.0.0.1:${port}`,
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

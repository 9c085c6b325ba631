import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createServer } from 'node:tls'

/** TLS in front of a local server, as DynamoDB has it in AWS. */
export interface TlsFront {
  readonly endpoint: string
  /** The certificate, a file for NODE_EXTRA_CA_CERTS. */
  readonly certificate: string
  stop(): void
}

const SUBJECT = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']

/**
 * Forwards TLS connections to `endpoint` (http://host:port). openssl writes a certificate for localhost into `folder`.
 * Throws an error without openssl.
 */
export async function startTlsFront(endpoint: string, folder: string): Promise<TlsFront> {
  const { hostname, port } = new URL(endpoint)
  const { key, certificate } = makeCertificate(folder)
  const options = { key: readFileSync(key), cert: readFileSync(certificate) }
  const server = createServer(options, (client) => {
    const behind = connect(Number(port), hostname)
    client.pipe(behind).pipe(client)
    for (const socket of [client, behind]) socket.setNoDelay().on('error', () => {})
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  const own = typeof address === 'object' && address ? address.port : 0
  return { endpoint: `https://localhost:${own}`, certificate, stop: () => server.close() }
}

function makeCertificate(folder: string): { key: string; certificate: string } {
  mkdirSync(folder, { recursive: true })
  const [key, certificate] = [`${folder}/key.pem`, `${folder}/certificate.pem`]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = ['-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', ...kind, ...SUBJECT, ...files], { stdio: 'ignore' })
  return { key, certificate }
}

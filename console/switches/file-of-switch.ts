export interface KnownSwitch {
  readonly name: string
  /** It is known only when the switch is added. */
  readonly secret?: string | undefined
}

type Place = Pick<Location, 'protocol' | 'host' | 'hostname' | 'port' | 'pathname'>

/** The sentence in the files of docs/adapters that asks to fill them in, and their examples. */
const EXAMPLES =
  / Write your address, name and secret into it\.|\b(?:pbx1|fs1|proxy1)\b|\bSECRET\b|http:\/\/|localhost:3000\/|(?<=Host +)localhost|(?<=Port +)3000|(?<=TLS +)Off|(?<=URI +)\//g

/** The file of an adapter with the address of this installation, and the name of a switch. */
export function fileOfSwitch(file: string, { name, secret = 'SECRET' }: KnownSwitch, place: Place): string {
  const { protocol, host, hostname, port, pathname } = place
  const isSecure = protocol === 'https:'
  const values: Readonly<Record<string, string>> = {
    ' Write your address, name and secret into it.': secret === 'SECRET' ? ' Write the secret into it.' : '',
    ...{ SECRET: secret, 'http://': `${protocol}//`, 'localhost:3000/': `${host}${pathname}` },
    ...{
      localhost: hostname,
      '3000': port || (isSecure ? '443' : '80'),
      Off: isSecure ? 'On' : 'Off',
      '/': pathname,
    },
  }
  return file.replace(EXAMPLES, (example) => values[example] ?? name)
}

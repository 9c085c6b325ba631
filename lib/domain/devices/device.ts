export const DEVICE_TYPES = ['SIP', 'IAX2', 'H323', 'FAX', 'Virtual', 'dahdi', 'Skype', 'ZAP'] as const

export type DeviceType = (typeof DEVICE_TYPES)[number]

export const TRANSPORTS = ['udp', 'tcp', 'udp,tcp', 'tcp,udp', 'tls'] as const

const PORTS: Partial<Record<DeviceType, number>> = { SIP: 5060, IAX2: 4569, H323: 1720 }

/** The standard port of a type, 0 where it has none (wire.md device_create). */
export const standardPort = (type: DeviceType): number => PORTS[type] ?? 0

/** The type's own spelling, whatever the case asked for; `undefined` when there is no such type. */
export const deviceTypeOf = (word: string): DeviceType | undefined =>
  DEVICE_TYPES.find((type) => type.toLowerCase() === word.trim().toLowerCase())

export const isDeviceName = (name: string): boolean => /^[A-Za-z0-9.@$-]{1,255}$/.test(name)

/** Printable ASCII without space, quotes, backslash and semicolon: what a softswitch's configuration survives. */
export const isDevicePassword = (password: string): boolean => /^[!#-&(-:<-[\]-~]{1,255}$/.test(password)

/** The fewest characters of a password, where short ones are not allowed (wire.md device_update). */
export const SHORTEST_DEVICE_PASSWORD = 8

export const isDigits = (text: string): boolean => /^\d+$/.test(text)

/** The number of a caller ID is digits and dots; blank means that there is none (wire.md device_create). */
export const isCallerIdNumber = (number: string): boolean => /^[0-9.]{0,80}$/.test(number)

/** The name of a caller ID has nothing that would end it where a softswitch reads it (wire.md device_update). */
export const isCallerIdName = (name: string): boolean => /^[^"<>\\\p{Cc}]*$/u.test(name)

export interface CallerId {
  readonly name: string
  readonly number: string
}

/** How a device row keeps it: `"name" <number>`, or the one of them that there is (wire.md device_update). */
export const formatCallerId = ({ name, number }: CallerId): string =>
  [name && `"${name}"`, number && `<${number}>`].filter((half) => half !== '').join(' ')

/** The halves of a caller ID, with or without quotes, as datasets bring them; without brackets it is a number, or a name. */
export function parseCallerId(callerId: string): CallerId {
  const [, quoted, bare = '', number] = /^\s*(?:"(.*)"|(.*?))\s*<([^<>]*)>\s*$/s.exec(callerId) ?? []
  if (number !== undefined) return { name: quoted ?? bare, number }
  if (isCallerIdNumber(callerId)) return { name: '', number: callerId }
  const [, alone = callerId] = /^\s*"(.*)"\s*$/s.exec(callerId) ?? []
  return { name: alone, number: '' }
}

/** How lists name a device: `SIP/2001` (wire.md 5.4). */
export const deviceTitle = ({ device_type, name }: { device_type: string; name: string }): string =>
  `${device_type}/${name}`

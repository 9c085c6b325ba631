import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fileOfSwitch } from './file-of-switch.ts'

const adapter = (name: string): string => readFileSync(`docs/adapters/${name}`, 'utf8')

const AWS = {
  protocol: 'https:',
  host: 'x.example.com',
  hostname: 'x.example.com',
  port: '',
  pathname: '/dev/',
}
const HERE = { protocol: 'http:', host: 'box:3000', hostname: 'box', port: '3000', pathname: '/' }
const SECRET = '$&4d5e'

const linesOf = (name: string, place: typeof AWS, secret?: string): string[] =>
  fileOfSwitch(adapter(name), { name: 'pbx7', secret }, place)
    .split('\n')
    .map((line) => line.trim().replace(/ +/g, ' '))

test('a file with everything in it asks for nothing', () => {
  const file = (secret?: string) =>
    fileOfSwitch(adapter('freeswitch-cdrs.xml'), { name: 'pbx7', secret }, HERE)

  expect(file(SECRET)).not.toContain('Write ')
  expect(file()).toContain(' Write the secret into it.')
})

test('the file for each switch has the address, the name and the secret', () => {
  expect(linesOf('asterisk-cdrs.conf', AWS, SECRET)).toEqual(
    expect.arrayContaining([
      ...['Host x.example.com', 'Port 443', 'TLS On', 'URI /dev/intake/asterisk-json'],
      ...['HTTP_User pbx7', `HTTP_Passwd ${SECRET}`],
    ]),
  )
  expect(linesOf('asterisk-cdrs.conf', HERE)).toEqual(
    expect.arrayContaining([
      'Host box',
      'Port 3000',
      'TLS Off',
      'URI /intake/asterisk-json',
      'HTTP_Passwd SECRET',
    ]),
  )
  expect(linesOf('freeswitch-cdrs.xml', AWS, SECRET)).toEqual(
    expect.arrayContaining([
      '<param name="url" value="https://x.example.com/dev/intake/freeswitch-json"/>',
      `<param name="cred" value="pbx7:${SECRET}"/>`,
    ]),
  )
  expect(linesOf('kamailio-cdrs.cfg', HERE, SECRET)).toContain(
    `"tollgate=>http://pbx7:${SECRET}@box:3000/intake/kamailio-json;timeout=10")`,
  )
})

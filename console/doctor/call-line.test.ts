import { expect, test } from 'vitest'
import { readCallLine } from './call-line.ts'

const CALL = { called: 'devices_get', sent: { u: 'admin', user_id: '1 0', hash: 'abc' } }

test.each([
  `curl -d 'u=admin&user_id=1+0&hash=abc' http://localhost:3000/api/devices_get`,
  `$ curl --data-urlencode u=admin --data-urlencode "user_id=1 0" -d hash=abc https://x.example/dev/api/devices_get`,
  `curl -F u=admin -F 'user_id=1 0' -F hash=abc \\\n  http://localhost/api/devices_get`,
  `curl --data '{"u":"admin","user_id":"1 0","hash":"abc"}' http://localhost/api/devices_get`,
  '192.0.2.1 - - [18/Nov/2026] "GET /api/devices_get?u=admin&user_id=1%200&hash=abc HTTP/1.1" 200 97',
  'https://x.example/api/devices_get?u=admin&user_id=1+0&hash=abc',
  `devices_get u=admin 'user_id=1 0' hash=abc`,
])('reads %s', (line) => {
  expect(readCallLine(line)).toEqual(CALL)
})

test.each([
  ['hello?', 'No API call recognised'],
  ['hello world', 'No API call recognised'],
  ['curl -d hash=abc http://localhost/', 'names no URL'],
  ['devices_get user_id=10', 'no hash'],
])('says what %s lacks', (line, says) => {
  expect(() => readCallLine(line)).toThrow(says)
})

import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { newSecret, signedHeaders } from './signature.ts'

const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: 1614265330,
  body: '{"test": 2432232314}',
}

test('the vector of Standard Webhooks', () => {
  expect(signedHeaders(vector, [vector.secret])).toEqual({
    'webhook-id': vector.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

/** The judge's verdict on a message that was signed a number of seconds ago. */
function judged(secrets: readonly string[], receiver: string, age: number): unknown {
  vi.setSystemTime(new Date(1_773_144_000_000))
  const headers = signedHeaders({ ...vector, at: 1_773_144_000 - age }, secrets)
  return new Webhook(receiver).verify(vector.body, headers)
}

test('the judge accepts either secret while they are changed, and no other one', () => {
  const [one, other, third] = [newSecret(), newSecret(), newSecret()]

  for (const receiver of [one, other]) expect(judged([one, other], receiver, 0)).toEqual({ test: 2432232314 })
  expect(() => judged([one, other], third, 0)).toThrow('No matching signature')
})

test.each([
  [300, true],
  [-300, true],
  [301, false],
  [-301, false],
])('the judge takes a clock that is %i s off: %s', (age, isTaken) => {
  const secret = newSecret()
  const judge = () => judged([secret], secret, age)

  if (isTaken) expect(judge()).toBeDefined()
  else expect(judge).toThrow('timestamp too')
})

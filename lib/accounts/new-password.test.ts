import { expect, test } from 'vitest'
import { isWeakPassword, shortestPassword } from './password.ts'

test('a password has as many characters as the settings ask for, otherwise 6', () => {
  expect(shortestPassword({ Default_User_Password_length: 12 })).toBe(12)
  expect(shortestPassword({ Default_User_Password_length: undefined })).toBe(6)
})

test.each([
  ['Secret1', false],
  ['1tERCES', false],
  ['1É\né', false],
  ['secret1', true],
  ['SECRET1', true],
  ['Secrets', true],
])('where strong passwords are asked for, %j is weak: %s', (password, isWeak) => {
  expect(isWeakPassword({ Use_strong_passwords: true }, password)).toBe(isWeak)
  expect(isWeakPassword({ Use_strong_passwords: false }, password)).toBe(false)
})
